import type { Config } from "./config.ts";
import type { Actor } from "./domain/actor.ts";
import type { Clock } from "./lib/clock.ts";
import type { Db, Store } from "./store/engine/db.ts";

/** What a function may need from the world. Take only the part you need: `Pick<Context, "db" | "clock">`. */
export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly store: Store;
  readonly db: Db;
  /** In whose name changes are journalled. */
  readonly actor: Actor;
  /** How far a long piece of work has come, for a person who waits. */
  readonly progress?: ((text: string) => void) | undefined;
}
