import { describe, expect, it } from "vitest";
import { invoke } from "../../src/invoke.ts";
import { operationNamed } from "../../src/operations.ts";
import { setCap } from "../models/money/lab.ts";
import { stores } from "../stores.ts";
import { endOf, hear, withChat } from "./lab/chat-lab.ts";

const broken = { text: "A long answer.", pieces: 4, fault: { kind: "half-closed", after: 4 } } as const;
const settings = {
  models: { use: ["anthropic/claude-sonnet-4-5"], exploreShare: 0, retryMs: 1, retries: 0 },
};

describe.each(stores)("what a session cost ($name)", (kind) => {
  it("has calls that nobody answered, as soon as they failed and when the session is opened again", () =>
    withChat(
      kind,
      { script: [{ text: "Blue.", usage: { in: 300, out: 4 } }, broken], settings },
      async ({ open, mind }) => {
        const session = await open();
        await hear(session.send("which colour?"));
        const before = session.usage();
        const events = await hear(session.send("and now?"));
        expect(endOf(events).reason).toBe("failed");
        const { cost, calls, tokensIn } = session.usage();
        expect(cost).toBeGreaterThan(before.cost);
        expect([before.calls, calls]).toEqual([1, 2]);
        expect(events.findLast((event) => event.kind === "usage")).toMatchObject({ usage: { cost, calls: 2 } });
        const shown = await invoke(mind, operationNamed("sessions entries"), { id: session.id }, "");
        expect(shown.usage).toMatchObject({ calls: 2, tokensIn });
        expect(shown.usage.cost).toBeCloseTo(cost, 9);
        await session.close();
        const again = await open({ session: session.id });
        expect(again.usage()).toMatchObject({ calls: 2, tokensIn });
        expect(again.usage().cost).toBeCloseTo(cost, 9);
        await again.close();
      },
    ));

  it("has no calls that were never sent", () =>
    withChat(kind, { script: [], settings }, async ({ open, mind }) => {
      await setCap(mind.db, "day", 0.000001);
      const session = await open();
      expect(endOf(await hear(session.send("go"))).reason).toBe("capped");
      expect(session.usage()).toMatchObject({ calls: 0, cost: 0 });
      const shown = await invoke(mind, operationNamed("sessions entries"), { id: session.id }, "");
      expect(shown.usage).toMatchObject({ calls: 0, cost: 0 });
      await session.close();
    }));
});
