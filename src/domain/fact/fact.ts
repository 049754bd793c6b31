import { hashText } from "../../lib/hash.ts";
import { DAY } from "../../lib/clock.ts";
import { folderCovers } from "../workspace.ts";
import { lastSegment } from "./resolve-path.ts";
import { parseScriptSubject } from "./scripts.ts";

/** What one failure can show of a workspace. */
export const factKinds = [
  "missing-path",
  "is-folder",
  "too-large",
  "missing-program",
  "unknown-script",
  "unknown-remote",
] as const;
export type FactKind = (typeof factKinds)[number];

/** A fact as one call showed it. */
export interface Sighting {
  readonly kind: FactKind;
  /** The path, the program, the manifest with the script (`/work/shop/package.json#lint`), the remote. */
  readonly subject: string;
  /** The word by which a later call names it: looked for before anything else is. */
  readonly name: string;
  /** The tool or the command that met it. */
  readonly by: string;
}

/** The same as it is remembered. */
export interface Fact extends Sighting {
  readonly workspace: string;
  /** When it was last met. */
  readonly at: number;
  readonly first: number;
  readonly sessions: number;
  /** The latest event that showed it, by its number. */
  readonly event: number;
  /** What worked in its place, where the records show that. */
  readonly instead: string | null;
}

/** The same for the same fact, whoever asks. */
export function factId({ workspace, kind, subject }: Pick<Fact, "workspace" | "kind" | "subject">): string {
  return `f_${hashText(JSON.stringify([workspace, kind, subject]))}`;
}

/** Something that a call cannot do without, or that it makes. */
export interface Need {
  readonly is: "path" | "file" | "program" | "script" | "remote";
  readonly subject: string;
  readonly by: string;
  /** Known to be read, whatever the program: other words of a command may name what it is about to make. */
  readonly surely: boolean;
  /** All of a file at once. */
  readonly whole?: boolean;
}

/** Whether a call that needs this meets the fact. */
export function meetsFact(fact: Sighting, need: Need): boolean {
  if (!need.surely && need.by !== fact.by) return false;
  switch (fact.kind) {
    case "missing-path":
      return (need.is === "path" || need.is === "file") && folderCovers(fact.subject, need.subject);
    case "is-folder":
      return need.is === "file" && need.subject === fact.subject;
    case "too-large":
      return need.is === "file" && need.whole === true && need.subject === fact.subject;
    case "missing-program":
      return need.is === "program" && need.subject === fact.subject;
    case "unknown-script":
      return need.is === "script" && need.subject === fact.subject;
    case "unknown-remote":
      return need.is === "remote" && need.subject === fact.subject;
  }
}

/** Whether a call that worked shows by what it needed, made or changed that the fact holds no longer. */
export function refutesFact(
  fact: Sighting,
  worked: { readonly needs: readonly Need[]; readonly makes: readonly Need[] },
): boolean {
  const all = [...worked.needs.filter((need) => need.surely), ...worked.makes];
  if (fact.kind === "missing-path")
    return all.some((one) => (one.is === "path" || one.is === "file") && folderCovers(fact.subject, one.subject));
  if (
    fact.kind === "unknown-script" &&
    worked.makes.some((one) => one.subject === parseScriptSubject(fact.subject).manifest)
  )
    return true;
  return all.some((one) => meetsFact(fact, one));
}

/** Whether a call may concern the fact at all, by its text: looked at before the call is read. */
export function mayConcernFact(fact: Sighting, text: string): boolean {
  if (text.includes(fact.name)) return true;
  return fact.kind === "unknown-script" && text.includes(lastSegment(parseScriptSubject(fact.subject).manifest));
}

/** Names of remotes are of the network: they are taken back without a look, after a day. */
export function isFactExpired({ kind, at }: Pick<Fact, "kind" | "at">, now: number): boolean {
  return kind === "unknown-remote" && now - at >= DAY;
}
