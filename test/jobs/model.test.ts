import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAnthropic } from "../../src/testing/fake-anthropic.ts";
import { fakeOpenAi } from "../../src/testing/fake-openai.ts";
import type { ScriptedServer } from "../../src/testing/scripted-server.ts";
import type { OperationMap } from "../../src/operations.ts";
import { newPlace, type Place, program, wordsOnly } from "../program.ts";
import { stores, type TestDatabase } from "../stores.ts";

const CLAUDE = "anthropic/claude-sonnet-4-5";
const GPT = "openai/gpt-5";
const oldhand = `"${process.execPath}" "${program}"`;

type Slot = OperationMap["job run"]["output"]["slot"];

/** Commands of jobs that call models through oldhand, as real processes, with two providers on loopback. */
describe.each(stores)("a job that calls a model, on $name", (kind) => {
  let database: TestDatabase;
  let place: Place;
  let claude: ScriptedServer;
  let gpt: ScriptedServer;
  beforeEach(async () => {
    database = await kind.migrated();
    claude = await fakeAnthropic(() => ({ text: "from claude" }), { everyRequest: true });
    gpt = await fakeOpenAi(() => ({ text: "from gpt" }), { everyRequest: true });
    place = newPlace({
      ...wordsOnly,
      OLDHAND_DATABASE: database.database,
      ANTHROPIC_BASE_URL: claude.url,
      ANTHROPIC_API_KEY: "plain-first-key-4711",
      OPENAI_BASE_URL: gpt.url,
      OPENAI_API_KEY: "plain-second-key-4712",
    });
    for (const model of [CLAUDE, GPT]) await place.run(["models", "add", model]);
    await place.json(["models", "default", CLAUDE]);
  });
  afterEach(async () => {
    await Promise.all([claude.close(), gpt.close()]);
    place.remove();
    await database.remove();
  });

  const add = (name: string, command: string, ...more: string[]) =>
    place.json(["job", "add", name, "--cron", "0 0 1 1 *", "--command", command, ...more]);
  const run = async (name: string): Promise<Slot> => {
    const ran = await place.run(["job", "run", name, "--json"]);
    return (JSON.parse(ran.stdout) as { slot: Slot }).slot;
  };
  const calls = async () => (await place.json<OperationMap["models calls"]["output"]>(["models", "calls"])).calls;

  it.each([
    ["a named agent", `${oldhand} agents complete clerk hello`],
    ["oldhand's own agent", `${oldhand} ask hello`],
  ])("uses the model of the time when it was added, by %s", async (_name, command) => {
    await add("writer", command);
    await place.json(["models", "default", GPT]);
    const slot = await run("writer");
    expect(slot).toMatchObject({ fate: "ran", detail: expect.stringContaining("from claude") as string });
    expect(gpt.requests).toEqual([]);
    const [call] = await calls();
    expect(await place.json(["models", "call", call?.id ?? ""])).toMatchObject({ job: "writer", model: CLAUDE });
  });

  it("uses the model that it was added with", async () => {
    await add("writer", `${oldhand} agents complete clerk hello`, "--model", GPT);
    expect((await run("writer")).detail).toContain("from gpt");
    expect(claude.requests).toEqual([]);
  });

  it("fails, and does not go to another model, if its own does not answer", async () => {
    await claude.close();
    await place.run(["config", "set", "models.retries", "0"]);
    await add("writer", `${oldhand} agents complete clerk hello`);
    expect(await run("writer")).toMatchObject({ fate: "failed" });
    expect(gpt.requests).toEqual([]);
  });

  it.each([
    ["its own cap", ["job", "writer", "0.000001"]],
    ["the cap of the day", ["day", "0.000001"]],
  ])("has missed its slot if %s refuses the call, and the reason names the cap", async (_name, cap) => {
    const [capKind = "", ...rest] = cap;
    await add("writer", `${oldhand} agents complete clerk hello >/dev/null 2>&1`);
    await place.json(["models", "caps", "set", capKind, ...rest, "--strict"]);
    const slot = await run("writer");
    expect(slot).toMatchObject({ fate: "missed", reason: "cap" });
    expect(slot.detail).toMatch(capKind === "day" ? /the cap day/ : /the cap job writer/);
    expect(slot.detail).toMatch(/; exit 1$/);
    expect([...claude.requests, ...gpt.requests]).toEqual([]);
    const { job } = await place.json<OperationMap["job why"]["output"]>(["job", "why", "writer"]);
    expect(job).toMatchObject({ failures: 0 });
  });
});
