import type { Config } from "./config.ts";
import type { Actor } from "./domain/actor.ts";
import type { Clock } from "./lib/clock.ts";
import type { Models } from "./models/models.ts";
import type { Db, Store } from "./store/engine/db.ts";

/** What a function may need from outside. Take only the part you need: `Pick<Context, "db" | "clock">`. */
export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly store: Store;
  readonly db: Db;
  /** In whose name changes are journalled. */
  readonly actor: Actor;
  /** The workspaces that an agent at the other end works in: it is shown these and what holds everywhere. Absent: everything. */
  readonly within?: readonly string[] | undefined;
  /** Opened by the first who needs one, closed with the mind. */
  readonly models: Models;
  /** Aborts when nobody waits any more. Long work looks at it between two pieces and stops there. */
  readonly signal: AbortSignal;
  /** Takes how far a long piece of work has come, for whoever waits. */
  readonly report: (progress: Progress) => void;
}

/** How far a long piece of work has come. */
export interface Progress {
  readonly text: string;
  /** Of `total`, where both are known. */
  readonly done?: number;
  readonly total?: number;
}
