import { iso } from "../../lib/clock.ts";
import { joinWords } from "../cause/sentence-parts.ts";
import type { Quotable } from "../trust/quote.ts";
import { relativePathWithin } from "../workspace.ts";
import { factId, type Fact } from "./fact.ts";
import { scriptWord } from "../shell/script-runners.ts";
import { parseScriptSubject } from "./scripts.ts";

/** The parts of a fact that its sentence needs. */
type DescribedFact = Omit<Fact, "event" | "first" | "sessions" | "name" | "by"> & {
  /** For a script: the file that the runner reads now; null if there is none, undefined if it was not checked. */
  readonly manifest?: string | null;
  /** For a script: the names that the file declares, the likest first. */
  readonly declared?: readonly string[];
  /** For a script: the packages that have it, the first one is the best. */
  readonly packages?: readonly ScriptPackage[];
};

/** A package of the workspace that has a script, and the command that runs it. */
export interface ScriptPackage {
  readonly folder: string;
  readonly command: string;
  /** True if the command must be run in the folder of the package. */
  readonly isInFolder: boolean;
}

/** A fact as shown to an agent in a folder. Quoted, because its words come from a call and its error. */
export function quoteFact(fact: Fact & DescribedFact, cwd: string | null): Quotable {
  return { label: `fact ${factId(fact)}`, origin: "tool", text: describeFact(fact, cwd) };
}

/**
 * `src/foo.ts` does not exist (a call failed on this on 12 Nov); `src/lib/foo.ts` exists. Paths are as one types them in
 * the folder; without a folder, in the workspace.
 */
export function describeFact(fact: DescribedFact, cwd: string | null = null): string {
  const { kind, subject, instead, workspace } = fact;
  const seen = `(a call failed on this on ${formatDay(fact.at)})`;
  const here = (path: string) => `\`${pathFrom(cwd ?? workspace, path, workspace)}\``;
  const then = (text: (of: string) => string) => (instead === null ? "." : `; ${text(instead)}.`);
  switch (kind) {
    case "missing-path":
      return `${here(subject)} does not exist${nameFolder(cwd, fact)} ${seen}${then((path) => `${here(path)} exists`)}`;
    case "is-folder":
      return `${here(subject)} is a folder, not a file ${seen}.`;
    case "too-large":
      return `${here(subject)} is too large to read at once ${seen}${then((part) => `reading ${part} worked`)}`;
    case "missing-program":
      return `\`${subject}\` is not installed ${seen}${then((other) => `\`${other}\` worked`)}`;
    case "unknown-script": {
      const { manifest, script, of } = parseScriptSubject(subject);
      const whose = of === null || fact.manifest != null ? "" : ` of \`${of}\``;
      if (fact.manifest === null) return `there is no ${here(manifest)}${whose} ${seen}.`;
      const file = fact.manifest ?? manifest;
      const { packages = [] } = fact;
      if (packages.length > 0) {
        const of = packages.map(({ folder }) => (folder === cwd ? "this folder" : here(folder)));
        const run = packages.map((one) => formatPackageCommand(one, cwd ?? workspace, workspace));
        return `\`${script}\` is a ${scriptWord(file)} of ${joinWords(of)}, not of ${here(file)} ${seen}: ${run.join(", ")}.`;
      }
      const other = instead !== null && !instead.includes("#") ? instead : null;
      return `${here(file)}${whose} has no ${scriptWord(file)} \`${script}\` ${seen}${other === null ? `${listDeclared(fact)}.` : `; \`${other}\` worked.`}`;
    }
    case "unknown-remote":
      return `\`${subject}\` is not known as a remote or repository ${seen}.`;
  }
}

/** The command as one types it in the folder, in code quotes. */
export function formatPackageCommand(
  { folder, command, isInFolder }: ScriptPackage,
  cwd: string,
  workspace: string,
): string {
  return isInFolder && folder !== cwd ? `\`cd ${pathFrom(cwd, folder, workspace)} && ${command}\`` : `\`${command}\``;
}

/** ` in \`backend\``: what a folder lacks may be elsewhere in the workspace. */
function nameFolder(cwd: string | null, { subject, workspace }: DescribedFact): string {
  const folder = cwd === null ? null : relativePathWithin(workspace, cwd);
  return folder === null || folder === "" || relativePathWithin(cwd ?? "", subject) === null ? "" : ` in \`${folder}\``;
}

/** As one types it in the folder: `docs/x`, `../docs/x`. Outside of the workspace, the whole path. */
function pathFrom(folder: string, path: string, workspace: string): string {
  const inside = relativePathWithin(folder, path);
  if (inside !== null) return inside || path;
  const [from, to] = [relativePathWithin(workspace, folder), relativePathWithin(workspace, path)];
  if (from === null || to === null || to === "") return path;
  const [folders, names] = [from.split("/"), to.split("/")];
  const differs = folders.findIndex((name, at) => name !== names[at]);
  return [...folders.slice(differs).map(() => ".."), ...names.slice(differs)].join("/");
}

function listDeclared({ declared = [] }: DescribedFact): string {
  return declared.length === 0 ? "" : `; it has: ${declared.join(", ")}`;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `17 Nov` */
export function formatDay(at: number): string {
  const [, month = "1", day = "1"] = iso(at).slice(0, 10).split("-");
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ""}`;
}
