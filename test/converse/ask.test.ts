import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fakeAnthropic } from "../../src/testing/fake-anthropic.ts";
import type { Script, ScriptedServer } from "../../src/testing/scripted-server.ts";
import { describeRun, newPlace, type Place, type RunOptions } from "../program.ts";

interface Asked {
  readonly session: string;
  readonly answer: string;
  readonly model: string;
  readonly calls: number;
  readonly tokens: { readonly in: number; readonly out: number; readonly cached: number };
  readonly cost: number;
  readonly tools: readonly object[];
  readonly ended: string;
}

const open: { place: Place; model: ScriptedServer }[] = [];
afterAll(async () => {
  for (const { place, model } of open) {
    place.remove();
    await model.close();
  }
});

/** The built program, with a scripted model that it may use. */
async function newAsker(script: Script, settings: object = {}) {
  const model = await fakeAnthropic(script, { everyRequest: true });
  const place = newPlace({ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "plain-first-key-4711" });
  open.push({ place, model });
  mkdirSync(place.home, { recursive: true });
  const use = { use: ["anthropic/claude-sonnet-4-5"], exploreShare: 0, retryMs: 1, retries: 0 };
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ embedder: "none", models: use, ...settings }));
  const ask = (words: readonly string[], options: RunOptions = {}) => place.run(["ask", ...words], options);
  const wire = (at: number) => JSON.stringify(model.requests.at(at)?.body);
  return { model, place, ask, wire };
}

describe("oldhand ask", () => {
  it("prints the answer as it comes, and as one document with --json", async () => {
    const { ask, place } = await newAsker([
      { text: "Blue.", pieces: 3 },
      { text: "Red.", usage: { in: 300, out: 4, cached: 100 } },
    ]);
    const first = await ask(["which", "colour?"]);
    expect([first.code, first.stdout], describeRun(first)).toEqual([0, "Blue.\n"]);
    const second = await place.json<Asked>(["ask", "and now?", "--continue"]);
    expect(second).toMatchObject({ answer: "Red.", model: "anthropic/claude-sonnet-4-5", calls: 1, tools: [] });
    expect(second).toMatchObject({ tokens: { in: 300, out: 4, cached: 100 }, ended: "done" });
    expect(second.session).toMatch(/^chat_/);
    expect(second.cost).toBeGreaterThan(0);
  });

  it("adds what is piped in and files that are named, as quoted data", async () => {
    const { ask, place, wire } = await newAsker([{ text: "ok" }]);
    writeFileSync(join(place.dir, "notes.txt"), "the file's text");
    const ran = await ask(["sum up @notes.txt for me@example.org, please"], { stdin: "from the pipe" });
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(wire(0)).toContain("sum up @notes.txt for me@example.org, please");
    expect(wire(0)).toContain("file notes.txt, from external:\\n| the file's text");
    expect(wire(0)).toContain("standard input, from external:\\n| from the pipe");
  });

  it("uses in the second session what the person told in the first one, and finds that one by a name", async () => {
    const { ask, place, wire, model } = await newAsker([{ text: "Hello Thorne." }, { text: "use std::fs::File;" }]);
    const told = await place.json<Asked>(["ask", "My name is Aris Thorne. Remember that I write Rust only."]);
    const asked = await ask(["How do I read a FASTA file?"]);
    expect(asked.stdout, describeRun(asked)).toBe("use std::fs::File;\n");
    expect(model.requests).toHaveLength(2);
    expect(wire(1)).toContain("I write Rust only");
    const found = await place.run(["sessions", "search", "Thorne"]);
    expect(found.stdout, describeRun(found)).toContain(told.session);
  });

  it("says which variables are looked for if there is no model, and asks nobody", async () => {
    const place = newPlace();
    open.push({ place, model: await fakeAnthropic([]) });
    const ran = await place.run(["ask", "hello"]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("ANTHROPIC_API_KEY");
    expect((await place.run(["ask"])).code).toBe(2);
    expect((await place.run(["ask", "hello", "--mode", "yolo"])).stderr).toContain("read-only, ask, edit, unattended");
    expect((await place.run(["ask", "hello", "--session", "chat_0"])).stderr).toContain("there is no session");
  });

  it("ends with 1 if there is no answer, and says why and what helps", async () => {
    const { ask, place } = await newAsker([
      { error: { status: 400, type: "invalid_request_error", message: "nonsense" } },
    ]);
    const failed = await ask(["hello"]);
    expect([failed.code, failed.stdout], describeRun(failed)).toEqual([1, ""]);
    expect(failed.stderr).toContain("nonsense");
    await place.run(["models", "caps", "set", "day", "0.000001"]);
    const capped = await ask(["hello"]);
    expect(capped.code, describeRun(capped)).toBe(1);
    expect(capped.stderr).toContain("oldhand models caps extend day");
  });

  it("is the owner's in an agent's shell, unless it gets no rights", async () => {
    const { ask } = await newAsker([{ text: "ok" }]);
    const env = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "s1" };
    expect((await ask(["hello", "--mode", "unattended"], { env })).code).not.toBe(0);
    expect((await ask(["hello"], { env })).code).not.toBe(0);
    const allowed = await ask(["hello", "--mode", "read-only"], { env });
    expect(allowed.code, describeRun(allowed)).toBe(0);
  });
});
