import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/store/sqlite/engine.ts";
import { newPlace, type Place } from "../program.ts";

/** Faults in a mining slice of a hook process: the host must not notice any of them. */
describe("a slice of mining in a hook", () => {
  let place: Place;
  let shop: string;
  beforeEach(() => {
    place = newPlace();
    shop = mkdtempSync(join(place.dir, "shop-"));
    mkdirSync(join(shop, ".git"));
  });
  afterEach(() => place.remove());

  const hook = (event: string, over: object = {}, killAfterMs: number | null = null) => {
    const payload = { session_id: "s", cwd: shop, transcript_path: "none", effort: { level: "low" }, ...over };
    const started = place.start(["hook", "claude-code"]);
    started.child.stdin?.on("error", () => {});
    started.child.stdin?.end(JSON.stringify({ hook_event_name: event, ...payload }));
    const killer = killAfterMs === null ? null : setTimeout(() => started.child.kill("SIGKILL"), killAfterMs);
    return started.ended.finally(() => clearTimeout(killer ?? undefined));
  };
  const silent = async (event: string, over: object = {}) => {
    const ran = await hook(event, over);
    expect([ran.code, ran.stdout, ran.stderr], event).toEqual([0, "", ""]);
  };
  const failures = async (count: number) => {
    for (let n = 0; n < count; n++)
      await silent("PostToolUseFailure", {
        session_id: `s${n}`,
        tool_name: "Bash",
        tool_input: { command: "./bin/rel push --env staging" },
        tool_use_id: `t${n}`,
        error: "Exit code 2\nunknown option '--env'. Did you mean '--target'?",
      });
  };
  const rules = () => place.json<{ text: string }[]>(["rules"]);
  const database = () => join(place.home, "mind.db");

  it("is killed at any moment, and the next one goes on: no rule twice, none lost", async () => {
    await failures(5);
    for (const ms of [30, 60, 90, 120, 160, 200, 250]) await hook("SessionEnd", { reason: "other" }, ms);
    for (let n = 0; n < 10 && (await rules()).length === 0; n++) await silent("SessionEnd", { reason: "other" });
    expect((await rules()).map((rule) => rule.text)).toEqual([expect.stringContaining("failed 5 of 5")]);
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout).not.toMatch(/differs|journal but not|do(?:es)? not (?:fit|match)/);
  });

  it("finds the store locked: silence, and what was told is there afterwards", async () => {
    await failures(5);
    const holder = connect(database());
    holder.exec("begin immediate");
    try {
      for (const event of ["SessionStart", "Stop", "SessionEnd"]) await silent(event);
    } finally {
      holder.exec("rollback");
      holder.close();
    }
    for (let n = 0; n < 10 && (await rules()).length === 0; n++) await silent("SessionEnd", { reason: "other" });
    expect(await rules()).toHaveLength(1);
    const told = await place.json<{ counts: { events: number } }>(["status"]);
    expect(told.counts.events).toBeGreaterThanOrEqual(5 + 3);
  });

  it("finds its tables damaged: silence, and the event is stored all the same", async () => {
    await failures(5);
    const breaker = connect(database());
    breaker.exec("drop table tried_groups");
    breaker.close();
    for (const event of ["Stop", "SessionEnd"]) await silent(event);
    const reader = connect(database());
    const kinds = reader.prepare("select kind from events where kind in ('stop', 'session-end')").all();
    reader.close();
    expect(kinds).toHaveLength(2);
  });

  it("finds a file that is no database: silence", async () => {
    await failures(1);
    for (const name of ["mind.db-wal", "mind.db-shm"]) rmSync(join(place.home, name), { force: true });
    writeFileSync(database(), "this is no database, and never was one".repeat(300));
    for (const event of ["SessionStart", "Stop", "SessionEnd"]) await silent(event);
  });
});
