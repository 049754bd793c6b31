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
  /** The actor that changes are journalled under. */
  readonly actor: Actor;
  /** The workspaces of the calling agent. It sees these and what applies everywhere. Absent: everything. */
  readonly within?: readonly string[] | undefined;
  /** True if only the settings were opened: there is no store. */
  readonly isConfigOnly?: boolean | undefined;
  /** Each opens on first use and closes with the mind. */
  readonly models: Models;
  /** Aborts when the result is no longer needed. Long work checks it between two steps and stops there. */
  readonly signal: AbortSignal;
  /** Reports the progress of long work to the caller. */
  readonly report: (progress: Progress) => void;
}

export interface Progress {
  readonly text: string;
  /** Out of `total`, if both are known. */
  readonly done?: number;
  readonly total?: number;
  /** One of few steps that a person should see each, not a count that grows. */
  readonly isStep?: boolean;
}
