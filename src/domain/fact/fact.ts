import { hashText } from "../../lib/hash.ts";
import { DAY } from "../../lib/clock.ts";
import { folderCovers } from "../workspace.ts";
import { lastSegment } from "./resolve-path.ts";
import { parseScriptSubject } from "./scripts.ts";

/** What a failure can show about a workspace. */
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
  /** The path, program, manifest with script (`/work/shop/package.json#lint`) or remote. */
  readonly subject: string;
  /** The word by which a later call names it, for a fast first test. */
  readonly name: string;
  /** The tool or command that failed on it. */
  readonly by: string;
}

/** A fact as stored. */
export interface Fact extends Sighting {
  readonly workspace: string;
  /** When a call last failed on it. */
  readonly at: number;
  readonly first: number;
  readonly sessions: number;
  /** The id of the latest event that showed it. */
  readonly event: number;
  /** What worked instead, or null if the records do not show it. */
  readonly instead: string | null;
}

/** Deterministic: the same fact always has the same id. */
export function factId({ workspace, kind, subject }: Pick<Fact, "workspace" | "kind" | "subject">): string {
  return `f_${hashText(JSON.stringify([workspace, kind, subject]))}`;
}

/** Something that a call needs or creates. */
export interface Need {
  readonly is: "path" | "file" | "program" | "script" | "remote";
  readonly subject: string;
  readonly by: string;
  /** True if it is certainly read. Other words of a command may name what it is about to create. */
  readonly surely: boolean;
  /** True if the whole file is read at once. */
  readonly whole?: boolean;
}

/** True if a call with this need would fail on the fact. */
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

/** True if a successful call shows, by what it needed, created or changed, that the fact no longer holds. */
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

/** A fast test on the call's text, before the call is parsed. False if the call cannot concern the fact. */
export function mayConcernFact(fact: Sighting, text: string): boolean {
  if (text.includes(fact.name)) return true;
  return fact.kind === "unknown-script" && text.includes(lastSegment(parseScriptSubject(fact.subject).manifest));
}

/** Remotes cannot be checked on the disk, so facts about them expire after a day. */
export function isFactExpired({ kind, at }: Pick<Fact, "kind" | "at">, now: number): boolean {
  return kind === "unknown-remote" && now - at >= DAY;
}
