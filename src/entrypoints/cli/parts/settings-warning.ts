import { explainConfig, isUncertain, type LoadedConfig, loadConfig, settingsFilePath } from "../../../config.ts";
import type { ExplainedProblem } from "../../../domain/settings/explain.ts";
import { plural } from "../../../lib/text.ts";
import type { Finding } from "../../../observe/protocol/host.ts";

/** One line about settings that are not used as written; empty if all are. `oldhand doctor` says more. */
export function settingsWarning(home: string | undefined, needs: "mind" | "config" = "mind"): string {
  const config = loadConfig({ home });
  // Opening the mind will fail with an error that says what is wrong.
  if (needs === "mind" && !config.isDatabaseKnown) return "";
  const file = settingsFilePath(config.home);
  if (config.fileFault !== null) return `oldhand: ${file} is ignored, ${config.fileFault} (see: oldhand doctor)\n`;
  const problems = explainConfig(config);
  const [first] = problems;
  if (first === undefined) return "";
  if (problems.length === 1) return `oldhand: ${nameOf(first, file)} ${first.why} (${first.hint})\n`;
  const names = problems.slice(0, 3).map(({ path }) => path);
  const all = `${names.join(", ")}${problems.length > names.length ? ", …" : ""}`;
  return `oldhand: ${file}: ${plural(problems.length, "setting")} not valid: ${all} (see: oldhand doctor)\n`;
}

/**
 * The same for `oldhand doctor`, one by one. An ignored setting is a note; one that prevents opening the mind is a
 * problem.
 */
export function settingsFindings(config: LoadedConfig): readonly Finding[] {
  const file = settingsFilePath(config.home);
  const whole: readonly Finding[] =
    config.fileFault === null
      ? []
      : [
          {
            level: "problem",
            what: `${file} cannot be read: ${config.fileFault}`,
            hint: `correct or move the file; ${consequence(config)}`,
          },
        ];
  return [
    ...whole,
    ...explainConfig(config).map((one): Finding => ({
      level: one.path === "database" ? "problem" : "note",
      what: `${nameOf(one, file)} ${one.why}`,
      hint: one.hint,
    })),
  ];
}

function consequence(config: LoadedConfig): string {
  if (!config.isDatabaseKnown) return `the file may name a database, so none is opened; ${HOOKS_WAIT}`;
  const defaults = "until then all settings have their defaults";
  return isUncertain(config) ? `${defaults}, and ${HOOKS_WAIT}` : `${defaults}; hooks keep working`;
}

/** The file may switch oldhand off for a folder, so nothing is stored or shown until it can be read. */
const HOOKS_WAIT = "hooks write events to the spool, and no rule is shown or enforced";

function nameOf({ path, variable }: ExplainedProblem, file: string): string {
  return variable ?? `${file}: ${path}`;
}
