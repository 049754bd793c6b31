import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/store/sqlite/engine.ts";
import { newPlace, payload, type Place, describeRun } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** More events than are stored before the interrupt; above 8 MB the import uses threads. */
const sizes = [
  { how: "in one thread", events: 15_000, padding: 20 },
  { how: "by threads", events: 24_000, padding: 400 },
];

describe("Ctrl-C", () => {
  it.each(sizes)("stops an import $how: what was stored stays, and the next one goes on", async (size) => {
    const file = join(place.dir, "long.jsonl");
    writeFileSync(file, history(size));
    const started = place.start(["import", file]);
    await untilStored(join(place.home, "mind.db"));
    started.child.kill("SIGINT");
    const ran = await started.ended;
    // On a machine too busy to finish a piece in time, the process is killed and the code is null.
    expect([130, null], describeRun(ran)).toContain(ran.code);
    expect(ran.stdout).toBe("");
    if (ran.code === 130) expect(ran.stderr).toContain("[stopped]");
    const before = await place.json<{ counts: { events: number } }>(["status"]);
    expect(before.counts.events).toBeGreaterThan(0);
    expect(before.counts.events).toBeLessThan(size.events);
    await place.json(["import", file]);
    expect(await place.json(["status"])).toMatchObject({ counts: { events: size.events } });
  });

  it("ends what goes on until then", async () => {
    await place.json(["status"]);
    const started = place.start(["sessions", "follow", "--after", "0", "--json"]);
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUseFailure") });
    const [line] = await started.line(/^\{.*\}$/m);
    expect(JSON.parse(line)).toMatchObject({ host: "claude-code", tool: "Bash", outcome: "failed" });
    started.child.kill("SIGINT");
    expect((await started.ended).code).toBe(0);
  });
});

function history({ events, padding }: { readonly events: number; readonly padding: number }): string {
  const lines = Array.from({ length: events }, (_, seq) =>
    JSON.stringify({
      ...{ session: `s${Math.floor(seq / 500)}`, seq: seq % 500, agent: "codex", ts: "2026-01-05T09:00:20.000Z" },
      ...{ cwd: "/home/ada/shop", tool: "Bash", input: { command: `echo ${seq}` }, ok: true, error_text: null },
      ...{ out_head: "x".repeat(padding), out_len: padding },
    }),
  );
  return `${lines.join("\n")}\n`;
}

/** Waits until the program has stored the first piece. */
async function untilStored(path: string): Promise<void> {
  while (!hasEvents(path)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function hasEvents(path: string): boolean {
  if (!existsSync(path)) return false;
  const connection = connect(path, { readOnly: true });
  try {
    return connection.prepare("select id from events limit 1").get() !== undefined;
  } catch {
    // The tables do not exist yet.
    return false;
  } finally {
    connection.close();
  }
}
