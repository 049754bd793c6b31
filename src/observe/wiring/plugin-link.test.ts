import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { renderPluginLink } from "./plugin-link.ts";

const folder = mkdtempSync(join(tmpdir(), "oldhand-link-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Programs that stand in for oldhand, each with its own behaviour. */
const echoes = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => console.log(line));`;
const silent = `process.stdin.resume();`;
const late = `process.stdin.on("data", () => setTimeout(() => console.log('{"context":"careful"}'), 3000));`;
/** Replies nothing until there are two payloads. */
const slow = `let n = 0; require("node:readline").createInterface({ input: process.stdin }).on("line", () => ++n === 2 && console.log('{}\\n{"context":"careful"}'));`;
const garbled = `process.stdin.on("data", () => console.log("not JSON"));`;
const leaves = `process.exit(0);`;

describe("a plugin's link to oldhand", () => {
  it("gives each payload its own reply, in order", async () => {
    const { request, hangUp } = await linked("echoes", echoes);
    const all = await Promise.all([1, 2, 3].map((n) => request({ n })));
    expect(all).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    hangUp();
  });

  it("begins anew after it was hung up", async () => {
    const { request, hangUp } = await linked("again", echoes);
    expect(await request({ n: 1 })).toEqual({ n: 1 });
    hangUp();
    expect(await request({ n: 2 })).toEqual({ n: 2 });
    hangUp();
  });

  it("waits for one that hangs no longer than its patience, and once", async () => {
    const { request, hangUp } = await linked("silent", silent);
    expect(await request({ n: 1 })).toEqual({});
    expect(await Promise.race([request({ n: 2 }), Promise.resolve("it waits again")])).toEqual({});
    hangUp();
  });

  it("waits for a reply though what nobody waited for has none yet: a session's start, while oldhand starts itself", async () => {
    const { notify, request, hangUp } = await linked("slow", slow);
    const start = notify({ n: 1 });
    // Longer than `patienceMs`.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await request({ n: 2 })).toEqual({ context: "careful" });
    expect(await start).toEqual({});
    hangUp();
  });

  it("hands on what comes later than that, since it counts as said", async () => {
    const { request, hangUp } = await linked("late", late);
    const replies: unknown[] = [];
    const kept = new Promise((resolve) => void request({ n: 1 }, resolve).then((reply) => replies.push(reply)));
    expect(await kept).toBe("careful");
    expect(replies).toEqual([{}]);
    hangUp();
  });

  it("takes what is no reply for silence", async () => {
    const { request, hangUp } = await linked("garbled", garbled);
    expect(await request({ n: 1 })).toEqual({});
    hangUp();
  });

  it("is silent where oldhand leaves at once, or is not there", async () => {
    const left = await linked("leaves", leaves);
    expect(await left.request({ n: 1 })).toEqual({});
    expect(await left.request({ n: 2 })).toEqual({});
    const gone = await linked("gone", null);
    expect(await gone.request({ n: 1 })).toEqual({});
    expect(await gone.request({ n: 2 })).toEqual({});
  });

  it("is silent about what cannot be put into JSON", async () => {
    const { request, hangUp } = await linked("round", echoes);
    const round: Record<string, unknown> = {};
    round["self"] = round;
    expect(await request(round)).toEqual({});
    expect(await request({ n: 1 })).toEqual({ n: 1 });
    hangUp();
  });
});

interface Link {
  request(payload: unknown, keep?: (context: string) => void): Promise<unknown>;
  notify(payload: unknown): Promise<unknown>;
  hangUp(): void;
}

async function linked(name: string, program: string | null): Promise<Link> {
  const command = program === null ? [join(folder, "nothing-here")] : [process.execPath, "-e", program, "--"];
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, `${renderPluginLink({ command })}\nexport { request, notify, hangUp };\n`);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Link;
}
