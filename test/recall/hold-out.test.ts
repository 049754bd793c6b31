import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attend } from "../../src/attend/attend.ts";
import type { Context } from "../../src/context.ts";
import { computeOwnEffect } from "../../src/distil/counting/effect.ts";
import { isInControlGroup } from "../../src/domain/rule/delivery/holdout.ts";
import { invoke } from "../../src/invoke.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { openContext } from "../../src/mind.ts";
import { oldhandProtocol } from "../../src/observe/hosts/oldhand/protocol.ts";
import type { HookEventDetails } from "../../src/observe/protocol/hook-event.ts";
import { adviceOperations } from "../../src/operations/sessions/advice.ts";
import { ruleOperations } from "../../src/operations/rules/rules.ts";
import { addRuleSessions, startHoldout } from "../../src/store/shown/rule-sessions.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { aRule, put } from "../store/samples.ts";
import { stores } from "../stores.ts";

const W = "/w";
const TEXT = "The tests of the parser run with pnpm";
const matcher = { tool: "shell", command: "docker compose up" };
const call = { tool: "Bash", input: { command: "docker compose up" }, callId: null };
const failure = { ok: false, text: "Exit code 1\nboom: it broke", exitCode: 1, durationMs: null };

const match = ruleOperations.find((one) => one.name === "match");
const [advice] = adviceOperations;

/** All the ways in which a session is shown a rule; each in a separate session, because nothing is shown twice. */
const ways: Readonly<Record<string, (mind: Context, session: string) => Promise<string>>> = {
  "when it starts": (mind, session) => attendEvent(mind, session, { moment: "session-start", source: "startup" }),
  "with a prompt": (mind, session) =>
    attendEvent(mind, session, { moment: "prompt", prompt: "run the tests of the parser", promptId: null }),
  "before a call": (mind, session) => attendEvent(mind, session, { moment: "before-call", ...call }),
  "after a failure": (mind, session) => attendEvent(mind, session, { moment: "after-call", ...call, ...failure }),
  "asking with match": (mind, session) => matching(mind, { session, host: "oldhand" }),
  "asking for advice": (mind, session) => advising(mind, { session }),
};

describe.each(stores)("a session that does without a rule, on $name", (kind) => {
  it.each(Object.keys(ways))("hears nothing of it %s, and the others do", (way) =>
    inMind(kind, async (mind) => {
      const isShown = async (session: string) => ((await ways[way]?.(mind, session)) ?? "").includes(TEXT);
      for (const session of some(mind, true)) expect(await isShown(session)).toBe(false);
      for (const session of some(mind, false)) expect(await isShown(session)).toBe(true);
    }),
  );

  it("goes on without it when its situation becomes rare, and is counted so", () =>
    inMind(kind, async (mind) => {
      const seldom = { from: 1, upTo: 2, recentSince: 10, sessions: [] };
      await addRuleSessions(mind.db, { id: "r1", matcher }, seldom);
      for (const session of some(mind, true)) expect(await ways["before a call"]?.(mind, session)).toBe("");
      const met = (session: string) => ({ host: "h", session, at: 9, attempts: 5, failed: 0, worked: 0 });
      const sessions = some(mind, true).map((session) => ({ ...met(session), opportunities: 10 }));
      await addRuleSessions(mind.db, { id: "r1", matcher }, { ...seldom, from: 2, upTo: 3, sessions });
      const found = await computeOwnEffect(mind, aRule("r1", { ...rule, matcher }));
      expect(found?.proof.arms).toMatchObject({ "held-out": { opportunities: 40 }, treated: { opportunities: 60 } });
    }));

  it("keeps it from nobody who asks without a session", () =>
    inMind(kind, async (mind) => {
      // So that every session is in the control group.
      const all = { ...mind.config.policy, distil: { ...mind.config.policy.distil, holdOutOneIn: 1 } };
      const ctx = { ...mind, config: { ...mind.config, policy: all } };
      expect(await matching(ctx, {})).toContain(TEXT);
      expect(await advising(ctx, {})).toContain(TEXT);
      expect(await matching(ctx, { session: "any" })).not.toContain(TEXT);
      expect(await advising(ctx, { session: "any" })).not.toContain(TEXT);
    }));
});

/** Runs `act` in a mind with one rule that has a control group. */
async function inMind(kind: (typeof stores)[number], act: (mind: Context) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-held-"));
  const { database, remove } = await kind.migrated();
  const mind = await openContext({ home, database, clock: fixedClock(5), env: { OLDHAND_EMBEDDER: "none" } });
  try {
    await put(mind.db, ruleNoun, aRule("r1", { ...rule, matcher, text: `${TEXT}.` }));
    const met = { host: "h", session: "x", at: 1, opportunities: 60, attempts: 1, failed: 1, worked: 0 };
    await addRuleSessions(mind.db, { id: "r1", matcher }, { from: 0, upTo: 1, recentSince: 0, sessions: [met] });
    await startHoldout(mind.db, "r1", 1);
    await act(mind);
  } finally {
    await mind.close();
    await remove();
    rmSync(home, { recursive: true, force: true });
  }
}

const rule = { level: "nudge", status: "approved", origin: "tool" } as const;

function some({ config }: Context, isHeldOut: boolean): readonly string[] {
  return Array.from({ length: 200 }, (_, n) => `s${n}`)
    .filter((session) => isInControlGroup({ id: "r1", ...rule }, session, config.policy.distil) === isHeldOut)
    .slice(0, 4);
}

async function attendEvent(mind: Context, session: string, happening: HookEventDetails): Promise<string> {
  const seen = { host: "oldhand", session, cwd: W, model: null, agent: null, transcript: null, ...happening };
  const reply = await attend(mind, { host: "oldhand", protocol: oldhandProtocol, events: [seen], workspace: W });
  return reply.context ?? "";
}

async function matching(mind: Context, over: object): Promise<string> {
  if (match === undefined) throw new Error("there is no operation match");
  return JSON.stringify(await invoke(mind, match, { command: "docker compose up", cwd: W, ...over }, ""));
}

async function advising(mind: Context, over: object): Promise<string> {
  return JSON.stringify(
    await invoke(mind, advice, { prompt: "run the tests of the parser", workspace: W, ...over }, ""),
  );
}
