import { type Identity, type IdentityName, identityNames } from "../../domain/identity/identity.ts";
import { type Drift, computeDrift } from "../../domain/identity/drift.ts";
import type { Change } from "../../domain/journal.ts";
import type { Memory } from "../../domain/memory/memory.ts";
import { isOwnProfile } from "../../domain/memory/memory-file.ts";
import { computeHunks, splitLines } from "../../lib/line-diff.ts";
import type { Db } from "../../store/engine/db.ts";
import { identityNoun } from "../../store/nouns/identities.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { listMemories, memoryNoun } from "../../store/nouns/memories.ts";

/** One change of the identity, with its reason. */
export interface Growth {
  readonly file: string;
  readonly change: Change<object>;
  readonly reason: string;
  readonly added: number;
  readonly removed: number;
}

/** Newest first: changes of the files, and of the memories in USER.md. */
export async function readGrowthLog(db: Db): Promise<readonly Growth[]> {
  const log: Growth[] = [];
  for (const name of identityNames)
    for (const one of await listChangesOf(db, identityNoun, name)) log.push(toGrowth(name, one, identityTextOf));
  const profiles = (await listMemories(db, { scope: { kind: "global" } })).filter(
    (memory) => memory.kind === "profile",
  );
  for (const memory of profiles)
    for (const one of await listChangesOf(db, memoryNoun, memory.id))
      if (pinnedText(one.before) !== pinnedText(one.after)) log.push(toGrowth("USER.md", one, pinnedText));
  return log.toSorted((one, other) => other.change.id - one.change.id);
}

export interface FileDrift {
  readonly file: IdentityName;
  readonly since: number;
  readonly versions: number;
  readonly drift: Drift;
  /** The distance from the first version after each change. */
  readonly course: readonly { readonly at: number; readonly change: number; readonly words: number }[];
}

/** How far each file is from the first version that the journal still has. */
export async function computeFileDrift(db: Db): Promise<readonly FileDrift[]> {
  const found: FileDrift[] = [];
  for (const file of identityNames) {
    const versions = (await listChangesOf(db, identityNoun, file)).filter((one) => one.after !== null && !one.scrubbed);
    const [first] = versions;
    const now = versions.at(-1);
    if (first === undefined || now === undefined) continue;
    const origin = identityTextOf(first.after);
    found.push({
      file,
      since: first.at,
      versions: versions.length,
      drift: computeDrift(origin, identityTextOf(now.after)),
      course: versions.map((one) => ({
        at: one.at,
        change: one.id,
        words: computeDrift(origin, identityTextOf(one.after)).words,
      })),
    });
  }
  return found;
}

function toGrowth<T extends object>(file: string, change: Change<T>, text: (state: T | null) => string): Growth {
  const hunks = computeHunks(splitLines(text(change.before)), splitLines(text(change.after)));
  return {
    file,
    change,
    reason: change.scrubbed ? "forgotten" : formatReason(change),
    added: hunks.reduce((sum, one) => sum + one.lines.length, 0),
    removed: hunks.reduce((sum, one) => sum + one.to - one.from, 0),
  };
}

function formatReason({ cause, undoes }: Change<object>): string {
  if (undoes !== null) return `change ${undoes} undone`;
  return cause.note ?? cause.id ?? cause.kind;
}

function identityTextOf(file: Identity | null): string {
  return file?.text ?? "";
}

function pinnedText(memory: Memory | null): string {
  return memory !== null && memory.pinned && memory.status === "active" && isOwnProfile(memory) ? memory.text : "";
}
