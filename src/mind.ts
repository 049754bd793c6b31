import { join } from "node:path";
import {
  type ConfigSource,
  type Config,
  followDatabase,
  followSettings,
  isSharedMind,
  loadConfig,
  requireDatabase,
} from "./config.ts";
import type { Context, Progress } from "./context.ts";
import { type Actor, isOwner, parseActor } from "./domain/actor.ts";
import { type Clock, MINUTE } from "./lib/clock.ts";
import { clockAt } from "./lib/clock-at.ts";
import { OldhandError } from "./lib/errors.ts";
import { openModels, type OpenModels } from "./models/open-models.ts";
import { drainSpool } from "./observe/spool.ts";
import { openStoreInHome } from "./store/open.ts";
import { ownMachineName } from "./domain/work/own-machine.ts";

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

/** Opens the mind and makes its whole context; hooks and worker threads open only the store. `options.models` are closed with it. */
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
    readAddress: options.database === undefined ? followDatabase(config, options.env) : undefined,
  });
  await drainSpool(store.db, config.home, loaded.isOffKnown ? config.off : null).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const models = options.models ?? openModels(() => config);
  const clock = options.clock ?? requireClockAt(options.now);
  const copies = store.db.machine === undefined ? null : keepRuleCopies({ config, clock, db: store.db });
  const readSettings = followSettings(config, options.env);
  return {
    get config() {
      return readSettings();
    },
    clock,
    store,
    db: store.db,
    ...sharedContext(options, config),
    models,
    close: async () => {
      await models.close();
      await copies?.close();
      await store.close();
    },
  };
}

/**
 * For a mind on a server: brings the local copies of its rules up to date, each minute while the mind is open, and when it is
 * closed, because a command may have changed a rule.
 */
function keepRuleCopies(ctx: Pick<Context, "config" | "clock" | "db">): { close(): Promise<void> } {
  let working = Promise.resolve();
  const refresh = () => {
    working = working
      .then(async () => (await import("./recall/copy/refresh-copy.ts")).refreshKnownCopies(ctx))
      // The server is away, or the home cannot be written: hooks count what follows from it.
      .catch(() => {});
    return working;
  };
  const timer = setInterval(() => void refresh(), MINUTE);
  // The timer must not keep the process alive.
  timer.unref();
  return {
    close: () => {
      clearInterval(timer);
      return refresh();
    },
  };
}

/** Settings without a mind. An operation that uses the database here has declared the wrong `needs`. */
export function openConfig(options: MindOptions = {}): Context {
  const closed = (): never => {
    throw new Error("this operation declared that it needs no mind");
  };
  const config = withDatabase(loadConfig(options), options.database);
  return {
    config,
    clock: options.clock ?? requireClockAt(options.now),
    ...sharedContext(options, config),
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
function sharedContext(
  { actor = "owner", within, signal = new AbortController().signal, report = () => {} }: MindOptions,
  config: Config,
): Pick<Context, "actor" | "within" | "signal" | "report"> {
  return { actor: locateOwner(parseActor(actor), config), within, signal, report };
}

/** In a team there are several owners: the journal says at which machine this one is. */
function locateOwner(actor: Actor, config: Config): Actor {
  return isOwner(actor) && isSharedMind(config) ? { kind: "owner", machine: ownMachineName(config) } : actor;
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
