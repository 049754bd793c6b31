import { describe, expect, it } from "vitest";
import type { GatewayRequest } from "../../../src/models/gateway/gateway.ts";
import { gatewayOf } from "../../../src/models/gateway/gateway-of.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, hearAll, ref, requestTo } from "./lab.ts";
import { LLAMA, type ModelMind, withModelMind } from "./mind.ts";

const both = { use: [LLAMA, CLAUDE], models: { default: LLAMA } };
const tools = [{ name: "run", description: "runs", input: { type: "object", required: ["command"] } }];

/** The model that answers a new session, and what is said about it before the answer. */
async function askAnew({ mind }: ModelMind, session: string, more: Partial<GatewayRequest> = {}) {
  const events = await hearAll(
    gatewayOf(mind).stream(requestTo(null, "hello", { taskType: "chat", session, ...more })),
  );
  const end = events.find((event) => event.kind === "end");
  if (end?.kind !== "end") throw new Error("no end");
  const said = events.flatMap((event) => (event.kind === "instead" ? [event.text] : []));
  return { model: `${end.answer.model.provider}/${end.answer.model.model}`, call: end.answer.call, said };
}

async function judge({ mind }: ModelMind, model: string, quality: number): Promise<void> {
  const { call } = await gatewayOf(mind).complete(requestTo(model, "hello", { taskType: "chat" }));
  await gatewayOf(mind).recordQuality(call, { quality, source: "feedback" });
}

describe.each(stores)("a free default model, on $name", (kind) => {
  it.each([
    ["a tool call without its input", { calls: [{ tool: "run", input: {} }] }],
    ["a web page", { text: "", fault: { kind: "wrong-type" } }],
  ] as const)("stays the default after damaged answers: %s", (_, damaged) =>
    withModelMind(kind, { ...both, llama: (_request, at) => (at === 0 ? damaged : { text: "free" }) }, async (lab) => {
      const chat = { ...requestTo(null).chat, tools };
      expect(await askAnew(lab, "s1", { chat })).toMatchObject({ model: LLAMA });
      for (const session of ["s2", "s3"]) expect(await askAnew(lab, session)).toMatchObject({ model: LLAMA, said: [] });
      expect(lab.claude.requests).toHaveLength(0);
      expect(await lab.run("models stats")).toMatchObject({ tallies: [{ model: LLAMA, judged: 0 }] });
    }),
  );

  it("is not given up for its guessed failures if its verdicts are good", () =>
    withModelMind(kind, { ...both, llama: (_request, at) => ({ text: at % 2 === 0 ? "free" : "" }) }, async (lab) => {
      await judge(lab, LLAMA, 1);
      for (let n = 0; n < 12; n++) expect(await askAnew(lab, `s${n}`)).toMatchObject({ model: LLAMA });
    }));

  it("gives way after bad verdicts, and then it is said with every answer that costs money, and by models", () =>
    withModelMind(kind, both, async (lab) => {
      expect(await lab.print("models list")).not.toContain("in place of the default");
      for (let n = 0; n < 6; n++) await judge(lab, LLAMA, 0);
      for (let n = 0; n < 6; n++) await judge(lab, CLAUDE, 1);
      const expected =
        `${LLAMA} is the default model and free, but the verdicts on this kind of task decide ` +
        `(oldhand models route chat --why). ${CLAUDE} answers instead, and costs money.`;
      expect(await askAnew(lab, "s1")).toMatchObject({ model: CLAUDE, said: [expected] });
      expect(await askAnew(lab, "s1")).toMatchObject({
        model: CLAUDE,
        said: [
          `${LLAMA} is the default model and free, but the session stays with its model. ${CLAUDE} answers instead, and costs money.`,
        ],
      });
      // Who names a model knows what it costs.
      expect(await askAnew(lab, "s2", { model: ref(CLAUDE) })).toMatchObject({ model: CLAUDE, said: [] });
      expect(await lab.print("models list")).toContain(
        `${CLAUDE} goes first for moderate chat tasks in place of the default, and costs money: the verdicts on this kind of task decide (oldhand models route chat --why).`,
      );
      expect(await lab.run("models list")).toMatchObject({
        instead: [{ taskType: "chat", complexity: "moderate", model: CLAUDE, costsMoney: true }],
      });
    }));

  it("gives way to a paid model in an agent's task only with a word: on stderr, and in the answer's route", () =>
    withModelMind(kind, both, async (lab) => {
      const ask = (prompt: string) =>
        lab.run("agents complete", { agent: "clerk", prompt, taskType: "triage" }) as Promise<{
          readonly call: string;
          readonly provider: string;
          readonly warnings: readonly string[];
          readonly route: readonly string[];
        }>;
      expect(await ask("free")).toMatchObject({ provider: "ollama", warnings: [] });
      for (let n = 0; n < 6; n++) {
        const { call } = await gatewayOf(lab.mind).complete(requestTo(LLAMA));
        await lab.run("agents feedback", { agent: "tester", call, quality: "bad" });
      }
      const paid = await ask("paid");
      expect(paid.provider).toBe("anthropic");
      const said = expect.stringMatching(
        /^ollama\/llama3\.2 is the default model and free, but .*\. anthropic\/\S+ answers instead, and costs money\.$/,
      ) as string;
      expect(paid.warnings).toEqual([said]);
      expect(paid.route).toContainEqual(said);
    }));
});
