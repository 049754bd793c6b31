import type { State } from "../domain/journal.ts";
import type { Db } from "./engine/db.ts";
import { identityNoun } from "./identities.ts";
import { identityProposalNoun } from "./identity-proposals.ts";
import { mistakeNoun, winNoun } from "./ledger.ts";
import { memoryNoun } from "./memories.ts";
import { overrideNoun } from "./overrides.ts";
import { ruleNoun } from "./rules.ts";

/** A thing of the mind whose every change is journalled. A new one is its table's file and a line below. */
export interface Noun {
  readonly name: string;
  read(db: Db, id: string): Promise<State | null>;
  /** Null removes it. */
  write(db: Db, id: string, state: State | null): Promise<void>;
  all(db: Db): Promise<readonly (State & { readonly id: string })[]>;
  /** Who names this one, in words: undoing its creation would leave them pointing nowhere. */
  dependants(db: Db, id: string): Promise<readonly string[]>;
  /** Why this actor may not make this change, or null. Asked at the journal's door, whichever way a change comes. */
  refuses?(before: State | null, after: State | null, actor: string): string | null;
}

export const nouns: readonly Noun[] = [
  ruleNoun,
  mistakeNoun,
  winNoun,
  memoryNoun,
  overrideNoun,
  identityNoun,
  identityProposalNoun,
];
