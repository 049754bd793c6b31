import { describe, expect, it } from "vitest";
import { approveRule, retireRule } from "../../src/domain/rule/decisions.ts";
import { HOUR, SECOND } from "../../src/lib/clock.ts";
import { decideRule } from "../../src/record/decide-rule.ts";
import { makeProvenance } from "../../src/store/journal/journal.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { stores } from "../stores.ts";
import { hear, withChat } from "./lab/chat-lab.ts";
import { kilnFiles, MISTAKE, plantMistake } from "./lab/kiln.ts";

const RIGHT = "bin/kiln --bisque cup";
const PLANTED = 10;
const SESSIONS = 6;

type Arm = "rules" | "control";
/** What the model heeds. One that heeds refusals only skips the rules in its prompt. */
type Model = "everything" | "refusals only";

interface Figures {
  /** Calls that made the mistake and ran. */
  readonly repeats: number;
  readonly held: number;
  /** Requests to the model, and their tokens by length. */
  readonly requests: number;
  readonly tokens: number;
}

describe("a planted mistake in oldhand's own agent, with its rule and without", () => {
  it.each<Model>(["everything", "refusals only"])(
    "a model that heeds %s does not repeat it with the rule, and does in the control arm",
    async (model) => {
      const rules = await runArm("rules", model);
      const control = await runArm("control", model);
      process.stdout.write(
        `${model}, ${SESSIONS} sessions: with the rule ${describeFigures(rules)}; without ${describeFigures(control)}\n`,
      );
      expect(control.repeats).toBe(SESSIONS);
      expect(rules.repeats).toBe(0);
      expect(rules.requests).toBeLessThanOrEqual(control.requests);
      expect(rules.held).toBe(model === "everything" ? 0 : SESSIONS);
    },
    300_000,
  );
});

async function runArm(arm: Arm, model: Model): Promise<Figures> {
  const state = { isPlanting: true };
  let result: Figures | null = null;
  const script = (request: ModelRequest) => {
    const [last = "", all] = readRequest(request, model);
    if (last.includes("fired")) return { text: "Fired." };
    const isWarned = !state.isPlanting && all.includes("--bisque");
    const hasFailed = last.includes("unknown option") || last.includes("held");
    return { text: "", calls: [{ tool: "shell", input: { command: isWarned || hasFailed ? RIGHT : MISTAKE } }] };
  };
  await withChat(stores[0]!, { script, files: kilnFiles, settings: { distil: { holdOut: false } } }, async (lab) => {
    await plantMistake(lab, PLANTED);
    state.isPlanting = false;
    const rule = (await listRules(lab.mind.db)).find((one) => one.matcher !== null);
    const provenance = makeProvenance(lab.mind, "review", "");
    await decideRule(lab.mind, rule?.id ?? "", provenance, (one) =>
      arm === "rules" ? approveRule(one, "nudge") : retireRule(one),
    );
    const before = lab.model.requests.length;
    let [repeats, held] = [0, 0];
    for (let at = 0; at < SESSIONS; at++) {
      const session = await lab.open();
      for (const event of await hear(session.send(`fire cup ${PLANTED + at}`))) {
        if (event.kind !== "tool-end" || event.ok) continue;
        if (event.text.includes("error: unknown option")) repeats++;
        else held++;
      }
      lab.clock.advance(HOUR + SECOND);
      await session.close();
    }
    const requests = lab.model.requests.slice(before);
    const tokens = requests.reduce((sum, one) => sum + Math.round(JSON.stringify(one.body).length / 4), 0);
    result = { repeats, held, requests: requests.length, tokens };
  });
  if (result === null) throw new Error("the arm did not run");
  return result;
}

/** The last tool result or message, and everything that this model reads. */
function readRequest(request: ModelRequest, model: Model): readonly [string, string] {
  const { messages, ...rest } = request.body as { readonly messages: readonly unknown[] };
  const last = JSON.stringify(messages.at(-1));
  return [last, model === "everything" ? JSON.stringify(rest) + JSON.stringify(messages) : last];
}

function describeFigures({ repeats, held, requests, tokens }: Figures): string {
  return `${repeats} repeats, ${held} held, ${requests} requests, ${tokens} tokens`;
}
