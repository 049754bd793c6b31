import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { openStore } from "../../src/store/open.ts";
import { addRuleSessions } from "../../src/store/shown/rule-sessions.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import type { Rule } from "../../src/domain/rule/rule.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { listShownRules } from "../../src/store/shown/shown.ts";
import { aRule, put } from "../store/samples.ts";
import { describeHost, describeHosts, hostTitle } from "./lab/driven.ts";
import { drivenHosts } from "./lab/hosts/all.ts";
import { newestClaudeCode } from "./lab/hosts/claude-code.ts";
import type { Lab } from "./lab/lab.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests, read, wire } from "./lab/wire.ts";

describeHosts(
  ({ host }) => `how rules come with a call on ${hostTitle(host)}`,
  drivenHosts.map((host) => ({ host })),
  ({ host, ...driver }) => {
    /** A lab in which only advice with calls is shown, by one rule against one command. */
    const inLab = (rule: Partial<Rule>, act: (lab: Lab) => Promise<void>) =>
      driver.inLab(
        async (lab) => {
          // Scoped to this project: a global rule is not shown where its call has only worked, as it does here.
          const scope = { kind: "workspace", workspace: lab.project } as const;
          await withMind(lab, (db) => plant(db, { scope, ...rule }));
          await act(lab);
        },
        { says: "calls" },
      );
    const calls = (...commands: readonly string[]) => commands.map((command) => ({ calls: [host.shell(command)] }));
    const ran = (lab: Lab) => existsSync(join(lab.project, "lock"));
    const control = async () => {
      const { calls } = await findHost(host.name)!.protocol();
      // An old Claude Code runs what its user allowed once, even if a hook asks.
      return host.client.version === "2.1.63" ? { ...calls, asks: "no" as const } : calls;
    };
    const delivered = (lab: Lab) =>
      withMind(lab, async (db) => (await listShownRules(db, { limit: 9 })).map((one) => one.delivery).toReversed());

    const outcomes = async (lab: Lab) => {
      await host.settle?.(lab);
      const made = (await storedEvents(lab)).filter((one) => JSON.stringify(one.input)?.includes(MAKE));
      // Some are imported from the host's own record at the end.
      return made.map((one) => one.outcome).toSorted();
    };

    it("a note: the model reads it with the result, when the call has run", () =>
      inLab({ level: "nudge", origin: "owner" }, async (lab) => {
        const turns = [...calls(MAKE, "echo on"), { text: "Done." }];
        const session = await lab.session({ prompt: "go on", turns });
        expect(session).toMatchObject({ status: 0, remaining: 0 });
        const requests = listRequests(session).map(read);
        expect(requests[0]).not.toContain(TEXT);
        expect(requests.at(-1)).toContain(`oldhand, rule r_lock: ${TEXT}`);
        expect(ran(lab)).toBe(true);
        expect((await control()).note).toBe("with the result");
        expect(await delivered(lab)).toEqual(["note"]);
      }));

    it("a hold: the call does not run, the model reads why, and the repeat passes", () =>
      inLab({ level: "nudge", origin: "tool" }, async (lab) => {
        const { holds } = await control();
        const first = await lab.session({
          prompt: "go on",
          turns: [...calls(MAKE, PAUSE, "echo on"), { text: "Done." }],
        });
        expect(first).toMatchObject({ status: 0, remaining: 0 });
        expect(read(listRequests(first)[1]).includes(`held once by rule r_lock: ${TEXT}`)).toBe(holds);
        expect(ran(lab)).toBe(!holds);
        const second = await lab.session({
          prompt: "go on",
          turns: [...calls(MAKE, PAUSE, MAKE), { text: "Done." }],
        });
        expect(second).toMatchObject({ status: 0, remaining: 0 });
        expect(read(listRequests(second).at(-1)).includes("held once by")).toBe(holds);
        expect(ran(lab)).toBe(true);
        expect(await delivered(lab)).toEqual(holds ? ["hold", "hold"] : ["note", "note"]);
        expect(await outcomes(lab)).toEqual(holds ? ["denied", "denied", "ok"] : ["ok", "ok", "ok"]);
      }));

    it("a mined rule of other projects falls silent in one where its call ran and worked", () =>
      inLab({ level: "nudge", origin: "tool", scope: { kind: "global" } }, async (lab) => {
        if ((await control()).holds) return;
        const turns = [...calls(MAKE), { text: "Done." }];
        await lab.session({ prompt: "go on", turns });
        const second = await lab.session({ prompt: "go on", turns });
        expect(second).toMatchObject({ status: 0, remaining: 0 });
        expect(wire(second)).not.toContain(TEXT);
        expect(await delivered(lab)).toEqual(["note"]);
      }));

    it("equal calls of one batch are held together", () =>
      inLab({ level: "nudge", origin: "tool" }, async (lab) => {
        if (!(await control()).holds) return;
        const batch = { calls: [host.shell(MAKE), host.shell(MAKE)] };
        const session = await lab.session({ prompt: "go on", turns: [batch, { text: "Done." }] });
        expect(session).toMatchObject({ status: 0, remaining: 0 });
        expect(ran(lab)).toBe(false);
      }));

    it("a deny: the call never runs, unless its owner lets it pass once", () =>
      inLab({ level: "deny", origin: "owner" }, async (lab) => {
        const refuses = (await control()).refusal === "the call";
        const turns = [...calls(MAKE, PAUSE, MAKE), { text: "Done." }];
        const session = await lab.session({ prompt: "go on", turns });
        expect(session).toMatchObject({ status: 0, remaining: 0 });
        expect(read(listRequests(session)[1])).toContain(`oldhand, rule r_lock: ${TEXT}`);
        expect(ran(lab)).toBe(!refuses);
        expect(new Set(await delivered(lab))).toEqual(new Set([refuses ? "deny" : "note"]));
        lab.oldhand("override", "r_lock");
        await lab.session({ prompt: "go on", turns });
        expect(ran(lab)).toBe(true);
        // The override is for one call: the next equal call is denied again.
        expect(await outcomes(lab)).toEqual(refuses ? ["denied", "denied", "denied", "ok"] : ["ok", "ok", "ok", "ok"]);
      }));

    it("an ask of the owner never hangs, and without an answer the call does not run", () =>
      inLab({ level: "ask", origin: "owner" }, async (lab) => {
        const { asks, refusal } = await control();
        const session = await lab.session({ prompt: "go on", turns: [...calls(MAKE), { text: "Done." }] });
        expect(session).toMatchObject({ status: 0, remaining: 0 });
        expect(ran(lab)).toBe(refusal !== "the call");
        expect(read(listRequests(session)[1]).includes("oldhand override r_lock")).toBe(
          refusal === "the call" && asks !== "yes",
        );
        expect(await delivered(lab)).toEqual([refusal !== "the call" ? "note" : asks === "yes" ? "ask" : "deny"]);
      }));

    it("a mined ask never hangs: where nobody can be asked the call is held once", () =>
      inLab({ level: "ask", origin: "tool" }, async (lab) => {
        const { asks, holds, refusal } = await control();
        const turns = [...calls(MAKE, PAUSE, MAKE), { text: "Done." }];
        const session = await lab.session({ prompt: "go on", turns });
        expect(session).toMatchObject({ status: 0, remaining: 0 });
        expect(read(listRequests(session)[1]).includes("held once by rule r_lock")).toBe(holds && asks !== "yes");
        expect(ran(lab)).toBe(refusal !== "the call" || asks !== "yes");
        const [first] = await delivered(lab);
        expect(first).toBe(asks === "yes" && refusal === "the call" ? "ask" : holds ? "hold" : "note");
      }));
  },
);

describeHost("a sub-agent of Claude Code", newestClaudeCode, ({ inLab }) => {
  it("reads the rules in force before its first call", () =>
    inLab(async (lab) => {
      lab.oldhand("learn", TEXT, "--command", MAKE);
      const task = { description: "look", prompt: "count the lamps in the hall", subagent_type: "general-purpose" };
      const session = await lab.session({
        prompt: "have somebody count the lamps",
        turns: [{ calls: [{ tool: "Agent", input: task }] }, { text: "Four." }, { text: "Four." }, { text: "Four." }],
      });
      const ofSubAgent = listRequests(session).map(read).filter(isOfSubAgent);
      expect(ofSubAgent.length).toBeGreaterThan(0);
      expect(ofSubAgent[0]).toMatch(/Rules in force here, hardest first:\n1\. \[nudge\] Never make the lock/);
    }));
});

/** True if the request has the sub-agent's task and not the user's prompt. */
function isOfSubAgent(request: string): boolean {
  return request.includes("count the lamps in the hall") && !request.includes("have somebody count the lamps");
}

/** Longer than the time between equal calls of one batch. */
const PAUSE = "sh -c 'sleep 1'";
/** A command that every host allows and that creates a folder. */
const MAKE = "git init lock";
const TEXT = "Never make the lock: use git init other instead.";
const matcher = { tool: "shell", head: "git init", command: MAKE };

async function withMind<T>(lab: Lab, act: (db: Db) => Promise<T>): Promise<T> {
  lab.json("sessions");
  const store = await openStore({ database: join(lab.home, ".oldhand", "mind.db"), busyMs: 5_000 });
  try {
    return await act(store.db);
  } finally {
    await store.close();
  }
}

/**
 * Stores a rule as mined from ten failures of ten, a minute each, and approved. An owner's rule has no such history.
 */
async function plant(db: Db, over: Partial<Rule>): Promise<void> {
  const at = systemClock.now();
  // With the current time: maintenance at session start would retire a rule not seen for years.
  const made = { createdAt: at, evidence: { observations: 10, sessions: 3, first: at, last: at, refs: [] } };
  await put(db, ruleNoun, aRule("r_lock", { status: "approved", text: TEXT, matcher, ...made, ...over }));
  if (over.origin !== "tool") return;
  const cost = { failures: 10, characters: 0, ms: 600_000, calls: 0 };
  const met = { host: "h", session: "x", at, opportunities: 10, attempts: 10, failed: 10, worked: 0, cost };
  await addRuleSessions(
    db,
    { id: "r_lock", matcher, ...(over.scope ? { scope: over.scope } : {}) },
    { from: 0, upTo: 1, recentSince: 0, sessions: [met] },
  );
}
