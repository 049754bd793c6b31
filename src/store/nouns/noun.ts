import type { Actor } from "../../domain/actor.ts";
import type { Db } from "../engine/db.ts";

/** A kind of thing whose changes are journalled. A new one needs its table's file and a line in `nouns.ts`. */
export interface Noun<T extends object = object> {
  readonly name: string;
  read(db: Db, id: string): Promise<T | null>;
  /** Null removes it. Only the journal calls this. */
  write(db: Db, id: string, state: T | null): Promise<void>;
  all(db: Db): Promise<readonly (T & { readonly id: string })[]>;
  /** What refers to this one, in words: undoing its creation would leave dangling references. */
  dependants(db: Db, id: string): Promise<readonly string[]>;
  /** The state that an undo brings back, as it may be in this store today. */
  fitUndone?(db: Db, now: T | null, to: T): T;
  /** Why this actor may not make this change, or null. The journal calls it for every change. */
  refuses?(before: T | null, after: T | null, actor: Actor): string | null;
}
