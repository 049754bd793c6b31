import { isRecord } from "../../lib/json.ts";
import { linearRegex } from "../../lib/linear-regex.ts";
import { parseCommands } from "../shell/command.ts";
import type { Origin } from "../rule/rule.ts";
import { plainName } from "../trust/trust.ts";

/** A command for which there is a skill, as a registry tells it. */
export interface Bypass {
  readonly skill: string;
  readonly pattern: string;
  readonly origin: Origin;
  /** Whose registry it is: null where it holds everywhere. */
  readonly workspace: string | null;
  /** Why, in the words of whoever wrote it; only the owner's are ever repeated. */
  readonly reason: string | null;
  test(text: string): boolean;
}

export interface Registry {
  readonly bypasses: readonly Bypass[];
  /** What could not be taken, each with its reason, for whoever wrote it. */
  readonly refused: readonly string[];
}

export interface RegistrySource {
  readonly file: string;
  readonly origin: Origin;
  readonly workspace: string | null;
}

/**
 * A list of `{ "skill": …, "pattern": … }` or `{ "skill": …, "patterns": […] }`, bare or under `skills`. A skill may have
 * several entries; none takes another's place.
 */
export function readRegistry(parsed: unknown, source: RegistrySource): Registry {
  const list = listIn(parsed);
  if (list === null) return { bypasses: [], refused: [`${source.file}: no list of skills`] };
  const bypasses: Bypass[] = [];
  const refused: string[] = [];
  for (const [at, entry] of list.slice(0, MOST).entries()) {
    const where = `${source.file}, entry ${at + 1}`;
    const skill = isRecord(entry) && typeof entry["skill"] === "string" ? plainName(entry["skill"]) : null;
    if (!isRecord(entry) || skill === null) {
      refused.push(`${where}: no valid skill name`);
      continue;
    }
    const reason = typeof entry["reason"] === "string" ? entry["reason"] : null;
    for (const pattern of [entry["pattern"], entry["patterns"]].flat()) {
      if (pattern === undefined) continue;
      const regex = typeof pattern === "string" ? linearRegex(pattern) : null;
      if (typeof pattern !== "string" || regex === null) refused.push(`${where}: a pattern must be a string`);
      else if (regex.kind === "refused") refused.push(`${where}: the pattern ${pattern.slice(0, 80)}: ${regex.why}`);
      else
        bypasses.push({ skill, pattern, reason, origin: source.origin, workspace: source.workspace, test: regex.test });
    }
  }
  return { bypasses, refused };
}

/** All of them, each pattern of a skill once for a workspace: the first that says it stands. */
export function mergeRegistries(all: readonly Registry[]): Registry {
  const known = new Set<string>();
  const bypasses = all
    .flatMap((one) => one.bypasses)
    .filter((one) => {
      const id = JSON.stringify([one.workspace, one.skill, one.pattern]);
      return !known.has(id) && known.add(id);
    });
  return { bypasses, refused: all.flatMap((one) => one.refused) };
}

/** Longer commands are looked at up to here. */
const LOOKED_AT = 2_000;
const MOST = 500;

/** The command of a shell line for which the skill is; null where there is none. */
export function findBypassedCommand(bypass: Bypass, shell: string): { readonly head: string } | null {
  const commands = parseCommands(shell.slice(0, LOOKED_AT * 2));
  const found = commands.find((command) => bypass.test(command.text.slice(0, LOOKED_AT)));
  if (found !== undefined) return { head: found.head };
  // Of several commands at once only a pattern can speak that names what joins them.
  const first = /[|&;]/.test(bypass.pattern) && bypass.test(shell.slice(0, LOOKED_AT)) ? commands[0] : undefined;
  return first === undefined ? null : { head: first.head };
}

/** What is worth a second look everywhere. Whoever has such skills says more in a registry of their own. */
export function builtInRegistry(): Registry {
  return readRegistry(BUILT_IN, { file: "built in", origin: "tool", workspace: null });
}

const BUILT_IN = [
  {
    skill: "git-safety",
    patterns: [
      "\\bgit\\s+(?:-\\S+\\s+)*push\\b.*\\s--no-verify\\b",
      "\\bgit\\s+(?:-\\S+\\s+)*commit\\b.*\\s--no-verify\\b",
      "\\bgit\\s+(?:-\\S+\\s+)*push\\b.*\\s(?:--force(?!-with-lease|-if)|-f)\\b",
    ],
  },
  { skill: "rm-safety", pattern: "\\brm\\s+-(?:rf|fr|r\\s+-f|f\\s+-r)\\w*\\s+(?:~|/)(?!tmp\\b)" },
];

function listIn(parsed: unknown): readonly unknown[] | null {
  if (Array.isArray(parsed)) return parsed;
  if (!isRecord(parsed)) return null;
  for (const name of ["skills", "skill_registry", "skillRegistry", "registry"]) {
    const list = parsed[name];
    if (Array.isArray(list)) return list;
  }
  return null;
}
