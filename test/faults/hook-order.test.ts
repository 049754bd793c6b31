import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeHomeCopier } from "../../bench/faults.ts";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { readLastHeartbeat } from "../../src/lib/heartbeat.ts";
import { SELF_TEST_PREFIX } from "../../src/observe/protocol/self-test-name.ts";
import { countSpooledFiles, spoolEvents } from "../../src/observe/spool.ts";
import { listSessionEvents } from "../../src/store/events/events.ts";
import { openStore } from "../../src/store/open.ts";
import { describeRun } from "../program.ts";
import { sendEvent, ways, wirePlugin } from "./hook-ways.ts";

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

async function newHome(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-order-"));
  dirs.push(dir);
  const home = join(dir, "mind");
  (await makeHomeCopier(join(dir, "template")))(home);
  wirePlugin(home);
  return home;
}

type Moment = "start" | "own reason";

/** The same moments as payloads of each kind of host. */
const payloads: Readonly<Record<string, (moment: Moment, session: string) => object>> = {
  "claude-code": (moment, session) => ({
    session_id: session,
    cwd: "/home/ada/shop",
    transcript_path: "none",
    ...(moment === "start"
      ? { hook_event_name: "SessionStart", source: "startup" }
      : { hook_event_name: "UserPromptSubmit", prompt: "oldhand: one rule was not kept" }),
  }),
  opencode: (moment, session) => ({
    session,
    directory: "/home/ada/shop",
    ...(moment === "start"
      ? { hook: "session.created" }
      : { hook: "chat.message", messageID: "m1", texts: ["oldhand: one rule was not kept"] }),
  }),
  pi: (moment, session) => ({
    session,
    cwd: "/home/ada/shop",
    ...(moment === "start"
      ? { hook: "session_start", reason: "startup" }
      : { hook: "before_agent_start", prompt: "oldhand: one rule was not kept" }),
  }),
};

describe.each(ways.filter((way) => payloads[way.host] !== undefined))("$name", (way) => {
  const payload = payloads[way.host]!;

  it("brings in at a session's start what waited in the spool", async () => {
    const home = await newHome();
    spoolEvents(home, [waiting]);
    const ran = await sendEvent(way, { home, payload: payload("start", "new") });
    expect([ran.code, ran.stderr], describeRun(ran)).toEqual([0, ""]);
    expect(countSpooledFiles(home)).toBe(0);
    const store = await openStore({ database: join(home, "mind.db"), busyMs: 10_000 });
    try {
      const stored = await listSessionEvents(store.db, { host: "codex", id: "earlier" }, { after: 0, limit: 10 });
      expect(stored.map((event) => event.uid)).toEqual(["u1"]);
    } finally {
      await store.close();
    }
  });

  it("notes that a hook fired, also where there is nothing to store; never for a test of the wiring", async () => {
    const home = await newHome();
    await sendEvent(way, { home, payload: payload("own reason", `${SELF_TEST_PREFIX}1`) });
    expect(readLastHeartbeat(home, way.host)).toBeNull();
    await sendEvent(way, { home, payload: payload("own reason", "new") });
    expect(readLastHeartbeat(home, way.host)).not.toBeNull();
  });
});

const waiting: NewEvent = {
  host: "codex",
  session: "earlier",
  uid: "u1",
  seq: 1,
  at: 1,
  kind: "prompt",
  workspace: "/home/ada/shop",
  cwd: null,
  tool: null,
  head: null,
  input: null,
  ok: null,
  exitCode: null,
  durationMs: null,
  outcome: null,
  benign: false,
  error: null,
  signature: null,
  text: "build the shop",
  model: null,
  agent: null,
};
