import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import type { Script, ScriptedServer } from "../../../src/testing/scripted-server.ts";
import { newPlace, type Place } from "../../program.ts";

const CLAUDE = "anthropic/claude-sonnet-4-5";
const env = {
  OLLAMA_HOST: "http://127.0.0.1:9",
  VLLM_BASE_URL: "http://127.0.0.1:9/v1",
  LMSTUDIO_BASE_URL: "http://127.0.0.1:9/v1",
  ANTHROPIC_API_KEY: "plain-first-key-4711",
};

let place: Place;
let server: ScriptedServer | null;
beforeEach(() => {
  place = newPlace(env);
  server = null;
});
afterEach(async () => {
  await server?.close();
  place.remove();
});

/** What a command that must fail says. */
async function refusal(words: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stderr } = await place.run([...words], { env: more });
  expect(code, stderr).toBeGreaterThan(0);
  return stderr;
}

const claudeAt = async (script: Script) => {
  server = await fakeAnthropic(script, { everyRequest: true });
  return { ANTHROPIC_BASE_URL: server.url };
};

describe("settings of models", () => {
  it("refuse a price file that is missing or has a mistake, and doctor reports one that got a mistake later", async () => {
    expect(await refusal(["config", "set", "models.prices", "prices.json"])).toContain("there is no such file");
    const file = join(place.home, "prices.json");
    await place.run(["status"]);
    writeFileSync(file, '{"openai/gpt-5": {"in": 1, "out": 2}}');
    expect((await place.run(["config", "set", "models.prices", "prices.json"])).code).toBe(0);
    expect((await place.run(["doctor"])).stdout).toContain(`price file ${file}`);
    writeFileSync(file, "garbage");
    const { code, stdout } = await place.run(["doctor"]);
    expect(code).toBe(1);
    expect(stdout).toContain(`the price file ${file} cannot be used: it is not JSON`);
    expect(await refusal(["config", "set", "models.prices", "prices.json"])).toContain("it is not JSON");
  });

  it("refuse an unknown provider, with the known names", async () => {
    const said = await refusal(["config", "set", "models.secretsTo", "wrongname"]);
    expect(said).toMatch(/there is no provider "wrongname".*\n.*known: anthropic, openai, .*loopback, none/);
    expect((await place.run(["config", "set", "models.secretsTo", "loopback,openai"])).code).toBe(0);
    expect(await refusal(["models", "route", "--preferred-provider", "nope"])).toMatch(
      /no provider "nope".*\n.*known: anthropic, /,
    );
    expect(await refusal(["agents", "complete", "clerk", "hi", "--preferred-provider", "nope"])).toContain(
      'there is no provider "nope"',
    );
  });

  it("are shown as a whole, also if they are a table without entries", async () => {
    expect((await place.run(["config", "get", "models.endpoints"])).stdout).toMatch(/^models\.endpoints +none/);
    await place.run(["models", "add", "workshop", "--url", "http://127.0.0.1:9/v1"]);
    expect((await place.run(["config", "get", "models.endpoints"])).stdout).toContain("models.endpoints.workshop.url");
  });
});

describe("inputs of model commands", () => {
  it("are refused in words of the command line", async () => {
    expect(await refusal(["models", "route", "bad type!"])).toContain("TASKTYPE may have at most 64 letters");
    expect(await refusal(["models", "costs", "--days", "0"])).toContain("--days must be at least 1 [usage]");
    expect(await refusal(["models", "costs", "--days", "-1"])).toContain("--days must be at least 1 [usage]");
    expect(await refusal(["models", "costs", "--days", "1.5"])).toContain('--days must be a whole number, not "1.5"');
    expect(await refusal(["models", "costs", "--days", "99999"])).toContain("--days must be at most 3650 [usage]");
    expect(await refusal(["agents", "complete", "clerk", " "])).toContain("PROMPT is empty [usage]");
    expect(await refusal(["models", "test"])).toMatch(
      /no model was added \[config\]\n  oldhand models add PROVIDER\/MODEL/,
    );
    expect(await refusal(["models", "remove", "nothing"])).toContain('"nothing" is not among your models');
  });

  it("say which amounts a cap can have, and write nothing otherwise", async () => {
    expect(await refusal(["models", "caps", "set", "day", "-1"])).toContain('"-1" is not an amount');
    expect(await refusal(["models", "caps", "set", "day", "0.0000000001"])).toContain(
      "the smallest amount is $0.000000001",
    );
    expect(await refusal(["models", "caps", "extend", "day", "0"])).toContain("an extension by $0 changes nothing");
    expect((await place.run(["models", "caps"])).stdout).toContain("$20.00  $0 spent");
  });

  it("add a model once", async () => {
    expect((await place.run(["models", "add", CLAUDE])).stdout).toMatch(/^Added anthropic/);
    expect((await place.run(["models", "add", CLAUDE])).stdout).toMatch(
      /^anthropic\/claude-sonnet-4-5 was already there\./,
    );
  });
});

describe("models", () => {
  it("are not usable if the address is none, or while their provider refuses the key", async () => {
    await place.run(["models", "add", CLAUDE]);
    const wrong = await place.run(["models"], { env: { ANTHROPIC_BASE_URL: "not-a-url" } });
    expect(wrong.stdout).toMatch(/^ {9}anthropic +needs an address that begins with .* in ANTHROPIC_BASE_URL$/m);
    const at = await claudeAt(() => ({ error: { status: 401, type: "authentication_error", message: "wrong key" } }));
    await place.run(["agents", "complete", "clerk", "hello"], { env: at });
    const { stdout } = await place.run(["models"], { env: at });
    expect(stdout).toMatch(
      /^ {9}anthropic +anthropic refused the key, so it is not called until \d\d:\d\d:\d\d UTC; check ANTHROPIC_API_KEY; to try it now: oldhand models test anthropic\/\S+$/m,
    );
  });
});

describe("agents complete", () => {
  it("reads its prompt from stdin or a file, and says on stderr that an answer was cut", async () => {
    await place.run(["models", "add", CLAUDE]);
    const at = await claudeAt(() => ({ text: "half an ans", stop: "length" }));
    const piped = await place.run(["agents", "complete", "clerk", "-", "--max-tokens", "7"], {
      env: at,
      stdin: "a long\nprompt",
    });
    expect(piped.code, piped.stderr).toBe(0);
    expect(piped.stderr).toContain("oldhand: the answer was cut after 7 tokens (maxTokens)\n");
    const file = join(place.home, "prompt.txt");
    writeFileSync(file, "from a file");
    const read = await place.run(["agents", "complete", "clerk", "--prompt-file", file, "--json"], { env: at });
    expect(JSON.parse(read.stdout)).toMatchObject({ truncated: true });
    const sent = JSON.stringify(server?.requests.map(({ body }) => body));
    expect(sent).toContain(String.raw`a long\nprompt`);
    expect(sent).toContain("from a file");
    expect(await refusal(["agents", "complete", "clerk", "--prompt-file", "/nowhere/at/all"])).toContain(
      "there is no file",
    );
    expect(await refusal(["agents", "complete", "clerk", "both", "--prompt-file", file])).toContain("not both");
    expect(existsSync(file) && readFileSync(file, "utf8")).toBe("from a file");
  });

  it("warns once a day of a cap that is nearly used, and so does status", async () => {
    await place.run(["models", "add", CLAUDE]);
    const at = await claudeAt(() => ({ text: "ok", usage: { in: 300_000, cached: 0, cacheWrite: 0 } }));
    await place.run(["models", "caps", "set", "day", "2"]);
    const first = await place.run(["agents", "complete", "clerk", "hello"], { env: at });
    expect(first.stderr).toMatch(
      /^oldhand: 9\d % of the cap day is used: \$1\.\d\d spent, of \$2\.00; oldhand models caps extend day AMOUNT raises it$/m,
    );
    const second = await place.run(["agents", "complete", "clerk", "hello", "--cache"], { env: at });
    expect(second.stderr).not.toContain("of the cap day is spent");
    expect((await place.run(["status"])).stdout).toContain("% of the cap day is used");
  });

  it("does not answer from the cache of a model that was removed", async () => {
    await place.run(["models", "add", CLAUDE]);
    const at = await claudeAt(() => ({ text: "from claude" }));
    await place.run(["agents", "complete", "clerk", "hello"], { env: at });
    await place.run(["models", "remove", CLAUDE]);
    expect(await refusal(["agents", "complete", "clerk", "hello"], at)).toContain("no model can be used");
  });
});
