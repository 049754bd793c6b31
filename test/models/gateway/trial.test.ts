import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { owner } from "../../../src/domain/actor.ts";
import { type Cap, defaultDayCap } from "../../../src/domain/model/caps.ts";
import { applyChange, makeProvenance } from "../../../src/store/journal/journal.ts";
import { changeBreaker, listBreakers } from "../../../src/store/models/breakers.ts";
import { capNoun } from "../../../src/store/nouns/caps.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, type Lab, requestTo, withGateway } from "./lab.ts";

const overloaded = { error: { status: 529, type: "overloaded_error", message: "busy" } };
const script = (_request: unknown, at: number) => (at < 1 ? overloaded : { text: "back", pieces: 3 });
const models = { breakerFailures: 1, breakerSeconds: 30, retries: 0 };
const exactly = (agent = "tester") => requestTo(CLAUDE, "hello", { mayUseOthers: false, agent });

/** The provider failed, and the breaker's time is over. */
async function waitForTrial({ gateway, clock }: Lab): Promise<void> {
  await gateway.complete(exactly());
  clock.advance(31_000);
}

async function setCap({ db, clock }: Lab, cap: Partial<Cap>): Promise<void> {
  const set = { ...defaultDayCap, ...cap };
  await applyChange(db, { noun: capNoun, id: set.id }, makeProvenance({ actor: owner, clock }, "test"), () => set);
}

/** Somebody else has the trial of the provider. */
function takeTrial({ db, clock }: Lab, probeBy: string, ms: number): Promise<unknown> {
  return changeBreaker(db, "anthropic", (before) => ({ ...before, probeBy, probeUntil: clock.now() + ms }));
}

describe.each(stores)("the one call that tries a failing provider, on $name", (kind) => {
  it("is not used up by a call that a cap stops", () =>
    withGateway(kind, { claude: script, models }, async (lab) => {
      await waitForTrial(lab);
      await setCap(lab, { id: "agent poor", kind: "agent", name: "poor", limit: 0, counts: "all" });
      expect(await lab.gateway.complete(exactly("poor"))).toMatchObject({ outcome: "capped" });
      expect(await lab.gateway.complete(exactly("rich"))).toMatchObject({ outcome: "ok", text: "back" });
    }));

  it("is not used up by a call whose caller stops reading", () =>
    withGateway(kind, { claude: script, models }, async (lab) => {
      await waitForTrial(lab);
      for await (const event of lab.gateway.stream(exactly())) if (event.kind === "text") break;
      expect(await lab.gateway.complete(exactly())).toMatchObject({ outcome: "ok", text: "back" });
    }));

  it("ends with its process", () =>
    withGateway(kind, { claude: script, models }, async (lab) => {
      await waitForTrial(lab);
      const { pid } = spawnSync(process.execPath, ["-e", ""]);
      await takeTrial(lab, `${hostname()}/${pid}/1`, 100_000);
      expect(await lab.gateway.complete(exactly())).toMatchObject({ outcome: "ok", text: "back" });
    }));

  it("on another machine holds others back for 30 seconds at most", () =>
    withGateway(kind, { claude: script, models }, async (lab) => {
      await waitForTrial(lab);
      const held = lab.gateway.stream(exactly())[Symbol.asyncIterator]();
      await held.next();
      const [breaker] = await listBreakers(lab.db);
      expect(breaker?.probeUntil).toBe(lab.clock.now() + 30_000);
      await takeTrial(lab, "elsewhere/1/1", 30_000);
      expect(await lab.gateway.complete(exactly())).toMatchObject({ outcome: "failed" });
      lab.clock.advance(30_000);
      expect(await lab.gateway.complete(exactly())).toMatchObject({ outcome: "ok" });
      await held.return?.();
    }));
});
