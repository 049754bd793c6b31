import { createServer, type AddressInfo } from "node:net";
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

  it("names the wait that a provider asks for, if it is too long to be a rate limit, and does not call it missing credit", () =>
    withModelMind(
      kind,
      {
        claude: () => ({ error: { status: 429, type: "rate_limit_error", message: "Slow down.", retryAfter: 2_000 } }),
      },
      async ({ mind }) => {
        const ask = () => gatewayOf(mind).complete(requestTo(CLAUDE, "hello", { mayUseOthers: false }));
        const first = explainUnanswered(await ask());
        expect(first.message).toContain("asks to wait 33 min; perhaps the plan's limit is used up");
        expect(first.hint).toContain(`wait 33 min, or see to credit and limits at anthropic, then try: `);
        const then = explainUnanswered(await ask()).message;
        expect(then).toContain("anthropic says that the credit or the plan's limit is used up");
        expect(then).not.toContain("no credit left");
      },
    ));

  it("is advised to see to the name or the price file if its price is unknown and such models are refused", () =>
    withModelMind(kind, { use: ["anthropic/brand-new"], models: { unknownPrice: "refuse" } }, async (of) => {
      const { mind, claude, print } = of;
      const asked = requestTo("anthropic/brand-new", "hello", { mayUseOthers: false });
      const answer = await gatewayOf(mind).complete(asked);
      const advice =
        "check the name of the model, or add its price to your price file (oldhand config set models.prices FILE)";
      expect(explainUnanswered(answer)).toMatchObject({
        message: expect.stringContaining("the price of anthropic/brand-new is unknown") as string,
        hint: `${advice}; or let another model answer: --fallback`,
      });
      const tested = await print("models test", { model: "anthropic/brand-new" });
      expect(tested).toMatch(/^anthropic\/brand-new: not called\. the price of/);
      expect(tested).toContain(advice);
      expect(claude.requests).toHaveLength(0);
      const costs = await of.run("models costs");
      expect(costs).toMatchObject({ total: { calls: 2, failed: 2, attempts: 0, unknownPrices: 0 } });
      expect(await print("models costs")).not.toContain("no known price");
      expect(await print("models list")).toContain("anthropic/brand-new (its price is unknown (models.unknownPrice))");
    }));

  it("says that the variable of a key is not set, rather than to check it", () =>
    withModelMind(
      kind,
      { claude: () => ({ error: { status: 401, type: "authentication_error", message: "who are you?" } }) },
      async ({ mind, claude, run }) => {
        await run("models add", {
          name: "workshop",
          url: `${claude.url}/v1`,
          kind: "anthropic",
          keyEnv: "WORKSHOP_KEY",
        });
        const ask = () => gatewayOf(mind).complete(requestTo("workshop/m1", "hello", { mayUseOthers: false }));
        const first = explainUnanswered(await ask());
        expect(first.hint).toMatch(/^WORKSHOP_KEY is not set; set it, then try: oldhand models test workshop\/m1/);
      },
    ));

  it("says that the server closed the connection, if it did so before it answered", async () => {
    const server = createServer((socket) => socket.once("data", () => socket.destroy()));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await withModelMind(kind, { ...once, use: [LLAMA] }, async (of) => {
      await of.reopen({ OLLAMA_HOST: url });
      const answer = await gatewayOf(of.mind).complete(requestTo(LLAMA, "hello", { mayUseOthers: false }));
      const { message, hint } = explainUnanswered(answer);
      expect(message).toContain(`${LLAMA}: the server closed the connection without an answer`);
      expect(hint).toContain(`look why the server at ${url} closes connections, then try: `);
      expect(hint).not.toContain("start the server");
    });
    await new Promise((resolve) => server.close(resolve));
  });

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
