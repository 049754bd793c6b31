import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../src/config.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy, type Policy } from "../../src/domain/policy.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { ToolContext } from "../../src/converse/tools/tool.ts";
import { openStore } from "../../src/store/open.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { quiet } from "../context.ts";
import { stores } from "../stores.ts";

export interface ToolPlace {
  readonly dir: string;
  readonly home: string;
  readonly workspace: string;
  /** A folder beside the workspace. */
  readonly outside: string;
  readonly config: Config;
  readonly db: Db;
  readonly changed: { readonly before: string[]; readonly after: string[] };
  tools(over?: Partial<ToolContext>): ToolContext;
  remove(): Promise<void>;
}

/** The sandbox has a folder of its own for temporary files: a home there would be hidden without any rule. */
export const seenInSandbox = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();

/** A workspace, a home and a store of their own, for tools that are called directly. */
export async function newToolPlace(
  over: { readonly policy?: Partial<Policy>; readonly clock?: Clock; readonly store?: (typeof stores)[number] } = {},
): Promise<ToolPlace> {
  const dir = realpathSync(mkdtempSync(join(seenInSandbox, "oldhand-tools-")));
  const [home, workspace, outside] = [join(dir, "home"), join(dir, "shop"), join(dir, "bank")];
  for (const folder of [home, workspace, outside]) mkdirSync(folder);
  const kind = over.store ?? stores[0];
  if (kind === undefined) throw new Error("no store");
  const place = await kind.migrated();
  const store = await openStore({ database: place.database, busyMs: 10_000 });
  const config: Config = {
    home,
    database: place.database,
    off: { everywhere: false, workspaces: [] },
    policy: { ...defaultPolicy, ...over.policy },
    providers: noProviders,
  };
  const changed = { before: [] as string[], after: [] as string[] };
  let calls = 0;
  return {
    ...{ dir, home, workspace, outside, config, changed },
    db: store.db,
    tools: (more = {}) => ({
      mind: { db: store.db, config, clock: over.clock ?? systemClock, models: quiet.models },
      session: "s1",
      callId: `call_${++calls}`,
      turn: 1,
      cwd: workspace,
      workspace,
      mode: "ask",
      signal: new AbortController().signal,
      report: () => {},
      beforeChange: async (path) => void changed.before.push(path),
      afterChange: async (path) => void changed.after.push(path),
      runSubAgent: async (task) => ({ ok: true, text: `did: ${task}`, origin: "agent" }),
      ...more,
    }),
    remove: async () => {
      await store.close();
      await place.remove();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
