import { iso } from "../../lib/clock.ts";
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
};

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
  const then = (text: (of: string) => string, otherwise = "") =>
    instead === null ? `${otherwise}.` : `; ${text(instead)}.`;
  switch (kind) {
    case "missing-path":
      return `${here(subject)} does not exist ${seen}${then((path) => `${here(path)} exists`)}`;
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
      return `${here(file)}${whose} has no ${scriptWord(file)} \`${script}\` ${seen}${then((other) => `\`${other}\` worked`, listDeclared(fact))}`;
    }
    case "unknown-remote":
      return `\`${subject}\` is not known as a remote or repository ${seen}.`;
  }
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
