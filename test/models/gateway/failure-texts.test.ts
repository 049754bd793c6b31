import { describe, expect, it } from "vitest";
import { OldhandError } from "../../../src/lib/errors.ts";
import { explainUnanswered } from "../../../src/models/gateway/explain-unanswered.ts";
import { gatewayOf } from "../../../src/models/gateway/gateway-of.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, requestTo } from "./lab.ts";
import { LLAMA, withModelMind } from "./mind.ts";

describe.each(stores)("a call without an answer, on $name", (kind) => {
  const failing = { error: { status: 500, type: "api_error", message: "internal boom" } };
  const once = { models: { retries: 0 } };

  it("names what helps where the person is, and nothing that does not apply there", () =>
    withModelMind(kind, { ...once, claude: () => failing }, async ({ mind }) => {
      const answer = await gatewayOf(mind).complete(requestTo(CLAUDE, "hello", { mayUseOthers: false }));
      const wait = `wait a minute, then try: oldhand models test ${CLAUDE}`;
      expect(explainUnanswered(answer).hint).toBe(`${wait}; or let another model answer: --fallback`);
      expect(explainUnanswered(answer, "chat").hint).toBe(`${wait}; or let another model answer: /model auto`);
    }));

  it("is not advised to wait if a web page or a damaged answer came", () =>
    withModelMind(kind, { ...once, claude: () => ({ text: "", fault: { kind: "wrong-type" } }) }, async ({ mind }) => {
      const { remedies } = await gatewayOf(mind).complete(requestTo(CLAUDE));
      expect(remedies[0]).toMatch(/^check the address of anthropic: another server answers there/);
    }));

  it("has a column of its own in the costs if the caller stopped it", () =>
    withModelMind(kind, {}, async ({ mind, run, print }) => {
      for await (const event of gatewayOf(mind).stream(requestTo(CLAUDE))) if (event.kind === "attempt") break;
      expect(await run("models costs")).toMatchObject({ total: { calls: 1, failed: 0, capped: 0, stopped: 1 } });
      expect(await print("models costs")).toMatch(/calls {2}failed {2}capped {2}stopped/);
      expect(await print("models calls")).toContain("stopped by the caller");
    }));

  it("is not judged by it: models stats counts verdicts alone", () =>
    withModelMind(kind, { ...once, claude: (_request, at) => (at === 1 ? failing : { text: "ok" }) }, async (lab) => {
      const gateway = gatewayOf(lab.mind);
      const { call } = await gateway.complete(requestTo(CLAUDE));
      await gateway.complete(requestTo(CLAUDE));
      expect(await lab.print("models stats")).toMatch(/2 calls, none judged/);
      await gateway.recordQuality(call, { quality: 0.8, source: "feedback" });
      expect(await lab.print("models stats")).toMatch(/2 calls, 1 verdict with a mean quality of 0\.80/);
    }));
});

describe.each(stores)("models list of a provider that is down, on $name", (kind) => {
  it("says that its server must be started", () =>
    withModelMind(kind, { use: [LLAMA] }, async ({ run, reopen }) => {
      await reopen({ OLLAMA_HOST: "http://127.0.0.1:9" });
      const error = await run("models list", { provider: "ollama" }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OldhandError);
      expect((error as OldhandError).hint).toBe(
        "start the server at http://127.0.0.1:9, then again: oldhand models list ollama",
      );
    }));
});
