import { join } from "node:path";
import { type ConfigSource, type Config, loadConfig, requireDatabase } from "./config.ts";
import type { Context, Progress } from "./context.ts";
import { parseActor } from "./domain/actor.ts";
import type { Clock } from "./lib/clock.ts";
import { clockAt } from "./lib/clock-at.ts";
import { OldhandError } from "./lib/errors.ts";
import { openModels, type OpenModels } from "./models/open-models.ts";
import { drainSpool } from "./observe/spool.ts";
import { openStoreInHome } from "./store/open.ts";

export interface MindOptions extends ConfigSource {
  /** A SQLite file or a postgres:// address, instead of the configured one. */
  readonly database?: string | undefined;
  /** A fixed time for replays. */
  readonly now?: string | undefined;
  readonly clock?: Clock | undefined;
  /**
   * The actor that changes are journalled under, in the journal's notation. Default `owner`; an unknown name is an
   * agent.
   */
  readonly actor?: string | undefined;
  /** Only these workspaces, and what applies everywhere, are shown: for a mind that an agent queries. Default: all. */
  readonly within?: readonly string[] | undefined;
  /** Stops long work cleanly after its current step. */
  readonly signal?: AbortSignal | undefined;
  /** Called by long work with its progress. */
  readonly report?: ((progress: Progress) => void) | undefined;
}

export interface OpenMind extends Context {
  close(): Promise<void>;
}

/** The only place that assembles a mind. `options.models` are closed with it. */
export async function openContext(options: MindOptions & { readonly models?: OpenModels } = {}): Promise<OpenMind> {
  const loaded = loadConfig(options);
  if (options.database === undefined) requireDatabase(loaded);
  const config = withDatabase(loaded, options.database);
  const { home, database, policy } = config;
  const store = await openStoreInHome(home, {
    database,
    busyMs: policy.store.busySeconds * 1000,
    machine: policy.team.machine,
    networkFile: policy.store.networkFile,
  });
  await drainSpool(store.db, config.home, loaded.isOffKnown ? config.off : null).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const models = options.models ?? openModels(() => config);
  return {
    config,
    clock: options.clock ?? requireClockAt(options.now),
    store,
    db: store.db,
    ...sharedContext(options),
    models,
    close: async () => {
      await models.close();
      await store.close();
    },
  };
}

/** Settings without a mind. An operation that uses the database here has declared the wrong `needs`. */
export function openConfig(options: MindOptions = {}): Context {
  const closed = (): never => {
    throw new Error("this operation declared that it needs no mind");
  };
  return {
    config: withDatabase(loadConfig(options), options.database),
    clock: options.clock ?? requireClockAt(options.now),
    ...sharedContext(options),
    isConfigOnly: true,
    get models() {
      return closed();
    },
    get store() {
      return closed();
    },
    get db() {
      return closed();
    },
  };
}

/** The part of the context that exists with and without a mind. */
function sharedContext({
  actor = "owner",
  within,
  signal = new AbortController().signal,
  report = () => {},
}: MindOptions): Pick<Context, "actor" | "within" | "signal" | "report"> {
  return { actor: parseActor(actor), within, signal, report };
}

function requireClockAt(now: string | undefined): Clock {
  const clock = clockAt(now);
  if (clock === null)
    throw new OldhandError("usage", `"${now}" is not a time`, { hint: "such as --now 2026-01-31T12:00:00Z" });
  return clock;
}

function withDatabase(config: Config, database: string | undefined): Config {
  return database === undefined ? config : { ...config, database };
}

/** The paths of files in a home. */
export function homePaths(home: string): {
  readonly token: string;
  readonly modelToken: string;
  readonly backups: string;
} {
  return { token: join(home, "token"), modelToken: join(home, "model-token"), backups: join(home, "backups") };
}
