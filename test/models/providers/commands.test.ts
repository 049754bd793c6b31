import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Input, OldhandError, openMind } from "../../../src/index.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeOllama } from "../../../src/testing/fake-ollama.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { ScriptedServer } from "../../../src/testing/scripted-server.ts";
import { newPlace, type Place } from "../../program.ts";
import { KEY } from "./lab.ts";

// No server of this machine may answer in place of a scripted one.
const nowhere = {
  OLLAMA_HOST: "http://127.0.0.1:9",
  VLLM_BASE_URL: "http://127.0.0.1:9/v1",
  LMSTUDIO_BASE_URL: "http://127.0.0.1:9/v1",
};

let place: Place;
let servers: ScriptedServer[];
beforeEach(() => {
  place = newPlace(nowhere);
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.close();
  place.remove();
});

const serve = async (server: Promise<ScriptedServer>) => {
  servers.push(await server);
  return (await server).url;
};
const config = () => JSON.parse(readFileSync(join(place.home, "config.json"), "utf8")) as unknown;

interface Listed {
  readonly models: readonly {
    readonly model: string;
    readonly isDefault: boolean;
    readonly isUsable: boolean;
    readonly why: string | null;
  }[];
  readonly providers: readonly {
    readonly name: string;
    readonly isUsable: boolean;
    readonly why: string | null;
    readonly variables: readonly string[];
    readonly models: readonly string[] | null;
  }[];
}

describe("models", () => {
  it("are listed with the variables that their providers need", async () => {
    const { providers } = await place.json<Listed>(["models"]);
    const why = Object.fromEntries(providers.map((one) => [one.name, one.why]));
    expect(why).toMatchObject({
      anthropic: "needs ANTHROPIC_API_KEY",
      openai: "needs OPENAI_API_KEY",
      google: expect.stringContaining("GEMINI_API_KEY") as string,
      openrouter: "needs OPENROUTER_API_KEY",
      huggingface: expect.stringContaining("HF_TOKEN") as string,
      workersai: "needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN",
      ollama: "nothing answers at http://127.0.0.1:9",
    });
    const withKey = await place.json<Listed>(["models", "list"], { env: { ANTHROPIC_API_KEY: KEY } });
    expect(withKey.providers.find((one) => one.name === "anthropic")).toMatchObject({ isUsable: true, why: null });
    expect(JSON.stringify(withKey)).not.toContain(KEY);
  });

  it("of a running Ollama are found", async () => {
    const env = { OLLAMA_HOST: await serve(fakeOllama([{ text: "ok" }], { models: ["qwen3:8b", "llama4:scout"] })) };
    const { providers } = await place.json<Listed>(["models"], { env });
    expect(providers.find((one) => one.name === "ollama")).toMatchObject({
      isUsable: true,
      models: ["qwen3:8b", "llama4:scout"],
    });
    const refused = await place.run(["models", "test", "anthropic/claude-sonnet-4-5"], { env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("anthropic needs ANTHROPIC_API_KEY");
    expect(refused.stderr).toContain("oldhand models add ollama/qwen3:8b");
    await place.json(["models", "add", "ollama/qwen3:8b"], { env });
    expect(await place.json(["models", "test"], { env })).toMatchObject({
      model: "ollama/qwen3:8b",
      failure: null,
      text: "ok",
    });
  });

  it("are added, made the default and removed, and only their names are in the settings", async () => {
    const env = { WORKSHOP_KEY: KEY };
    const added = await place.run(["models", "add", "anthropic/claude-sonnet-4-5"], { env });
    expect(added.stdout).toContain("It cannot be used yet: it needs ANTHROPIC_API_KEY.");
    await place.json(
      ["models", "add", "workshop/llama-4", "--url", "http://127.0.0.1:9/v1/", "--key-env", "WORKSHOP_KEY"],
      { env },
    );
    await place.json(["models", "add", "workshop/llama-4"], { env });
    expect(await place.json(["models", "default"], { env })).toMatchObject({
      model: "anthropic/claude-sonnet-4-5",
      isChosen: false,
    });
    expect(await place.json(["models", "default", "workshop/llama-4"], { env })).toMatchObject({
      isChosen: true,
      why: null,
    });
    expect(config()).toEqual({
      models: {
        use: ["anthropic/claude-sonnet-4-5", "workshop/llama-4"],
        endpoints: { workshop: { url: "http://127.0.0.1:9/v1", keyEnv: "WORKSHOP_KEY" } },
        default: "workshop/llama-4",
      },
    });
    const { models } = await place.json<Listed>(["models"], { env });
    expect(models).toMatchObject([
      { model: "anthropic/claude-sonnet-4-5", isDefault: false, isUsable: false },
      { model: "workshop/llama-4", isDefault: true, isUsable: false, why: "nothing answers at http://127.0.0.1:9/v1" },
    ]);
    await place.json(["models", "remove", "workshop"]);
    expect(config()).toEqual({ models: { use: ["anthropic/claude-sonnet-4-5"] } });
    expect((await place.run(["models", "remove", "workshop"])).code).toBe(1);
  });

  it.each<[Input<"models add">, string]>([
    [{ name: "claude" }, "PROVIDER/MODEL"],
    [{ name: "antropic/claude" }, "did you mean anthropic?"],
    [{ name: "a.b", url: "http://127.0.0.1:9" }, "letters, digits"],
    [{ name: "own", url: "http://me:secret@127.0.0.1:9" }, "environment variable"],
    [{ name: "own", url: "https://127.0.0.1:9/v1?key=secret" }, "environment variable"],
    [{ name: "own", url: "http://127.0.0.1:9", keyEnv: "sk-or-v1-secret" }, "never the key itself"],
    [{ name: "anthropic", url: "http://127.0.0.1:9" }, "ANTHROPIC_BASE_URL"],
    [{ name: "ollama/llama3", url: "http://127.0.0.1:9" }, "OLLAMA_HOST"],
    [{ name: "anthropic/claude", keyEnv: "MY_KEY" }, "describe a new endpoint"],
  ])("refuse to add %j, and write nothing", async (input, said) => {
    await using mind = await openMind({ home: place.home, env: {} });
    const refused = await mind.run("models add", input).catch((error: unknown) => error);
    if (!(refused instanceof OldhandError)) throw new Error("it was not refused");
    expect(`${refused.message} ${refused.hint}`).toContain(said);
    expect(`${refused.message} ${refused.hint}`).not.toContain("secret");
    expect(readdirSync(place.home)).not.toContain("config.json");
  });

  it("of a paid provider stay paid, even if the settings give it an address on this machine", async () => {
    const url = await serve(fakeAnthropic([{ text: "ok", usage: { in: 12, out: 3 } }], { everyRequest: true }));
    for (const [path, value] of [
      ["url", `${url}/v1`],
      ["kind", "anthropic"],
      ["keyEnv", "ANTHROPIC_API_KEY"],
    ])
      await place.run(["config", "set", `models.endpoints.anthropic.${path}`, value ?? ""]);
    const tested = await place.run(["models", "test", "anthropic/claude-sonnet-4-5"], {
      env: { ANTHROPIC_API_KEY: KEY },
    });
    expect(tested.stdout).toContain("12 tokens in, 3 out, $0.000081.");
  });

  it("are tested with one small call, and a failure has its kind and exit code 1", async () => {
    const error = { status: 401, type: "authentication_error", message: `no such key ${KEY}` };
    const env = {
      ANTHROPIC_BASE_URL: await serve(
        fakeAnthropic([{ text: "ok", usage: { in: 12, out: 3 } }, { error }], { everyRequest: true }),
      ),
      ANTHROPIC_API_KEY: KEY,
    };
    const words = ["models", "test", "anthropic/claude-sonnet-4-5"];
    const worked = await place.run(words, { env });
    expect(worked.stdout).toMatch(/answered in \d+ ms, first token after \d+ ms: 12 tokens in, 3 out, \$0\.000081\./);
    const failed = await place.run(words, { env });
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("auth. anthropic: answers 401: no such key");
  });

  it("leave no key anywhere: not in an answer, nor in the home", async () => {
    const env = {
      OPENAI_BASE_URL: await serve(fakeOpenAi(() => ({ text: "ok" }), { everyRequest: true })),
      OPENAI_API_KEY: KEY,
    };
    const said = [];
    for (const words of [
      ["add", "openai/gpt-5"],
      ["test"],
      ["list"],
      ["list", "openai"],
      ["default"],
      ["test", "openai/gpt-5", "--json"],
    ])
      said.push(await place.run(["models", ...words], { env }));
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(JSON.stringify(said)).not.toContain(KEY);
    expect(JSON.stringify(servers[0]?.requests[0]?.headers)).toContain(KEY);
    const files = readdirSync(place.home, { recursive: true, encoding: "utf8" })
      .map((name) => join(place.home, name))
      .filter((path) => statSync(path).isFile());
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((path) => readFileSync(path).includes(KEY))).toEqual([]);
  });
});
