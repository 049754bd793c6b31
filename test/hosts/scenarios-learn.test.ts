import { expect, it } from "vitest";
import { describeHost } from "./lab/driven.ts";
import { calls, claude, lanternRule, publish, RIGHT, withLantern, WRONG } from "./lab/lantern.ts";
import type { Lab } from "./lab/lab.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests, count, read, startBlock, wire } from "./lab/wire.ts";

/*
 * Which test covers which scenario, on real clients. "(exists)" marks tests older than these files.
 *
 * a  the mistake in one of two projects       scenarios-learn; (exists) unattended: "sessions alone make the rule …";
 *                                             scenarios-clients
 * b  parallel calls, one failing              scenarios-learn
 * c  a sub-agent makes it                     scenarios-learn;
 *                                             (exists) deliveries: "reads the rules in force before its first call"
 * d  corrected by words, also mid-turn        scenarios-correct;
 *                                             (exists) claude-code: "stores once what its user types while it works …"
 * e  /compact                                 scenarios-context
 * f  ask, deny, override, spellings           scenarios-decide;
 *                                             (exists) deliveries: "a deny …", "an ask …", "a mined ask …";
 *                                             scenarios-clients
 * g  --resume                                 scenarios-context;
 *                                             (exists) claude-code: "counts a call once when its session is resumed …"
 * h  three sessions at once                   scenarios-learn; (exists) advice: "two sessions at once see each other"
 * i  a path with spaces                       scenarios-learn
 * j  off mid-way                              scenarios-setup;
 *                                             (exists) lab/contract: "sees and says nothing when oldhand is off"
 * k  several wirings                          scenarios-setup; (exists) test/cli/two-wirings
 * l  upgrade, installed again                 scenarios-setup;
 *                                             (exists) lab/contract: "changes nothing when it is installed again";
 *                                             test/upgrade
 * m  uninstall to the byte                    scenarios-setup;
 *                                             (exists) lab/contract: "takes everything back to the byte";
 *                                             claude-code: "leaves every file as it was …"
 * n  memory typed, recalled only when needed  scenarios-memory
 * o  unattended                               (exists) unattended, on every client that runs here
 */

describeHost(`Claude Code ${claude.client.version} makes a mistake`, claude, ({ inLab }) => {
  const looks = [...calls(claude, "echo all is well"), { text: "Well." }, { text: "Well." }];

  it("a: in one of two projects: only that one hears of it, not the one where the call works, nor a third", () =>
    inLab(async (lab) => {
      const shop = withLantern(lab.project);
      const blog = withLantern(lab.repository("blog"), "works");
      const fair = withLantern(lab.repository("fair"));
      await publish(lab, claude, { times: 4, cwd: shop });
      const right = [...calls(claude, WRONG), { text: "Published." }];
      await lab.session({ prompt: "publish the blog", cwd: blog, turns: right });
      const rule = lanternRule(lab);
      expect(rule).toMatchObject({ level: "nudge", scope: { kind: "workspace", workspace: shop } });
      expect(rule.text).toContain("--track");
      const next = await lab.session({ prompt: "have a look", cwd: shop, turns: looks });
      expect(startBlock(read(listRequests(next)[0]))).toContain(rule.text);
      for (const cwd of [blog, fair]) {
        const other = await lab.session({ prompt: "publish it", cwd, turns: right });
        expect(other).toMatchObject({ status: 0, remaining: 0 });
        expect(wire(other)).not.toMatch(/--track|rule r_/);
      }
    }));

  it("b: in one of three parallel calls: that one is stored as failed, and the note comes with that one, once", () =>
    inLab(async (lab) => {
      withLantern(lab.project);
      const batch = [{ calls: ["echo one", WRONG, "echo two"].map((command) => claude.shell(command)) }];
      for (let n = 0; n < 4; n++) {
        const turns = [...batch, ...calls(claude, RIGHT), { text: "Published." }, { text: "Published." }];
        await lab.session({ prompt: "publish the beta", turns });
      }
      const events = (await storedEvents(lab)).filter((one) => one.kind === "call");
      const [first] = events;
      const ofFirst = events.filter((one) => one.session === first?.session);
      expect(ofFirst.map((one) => one.outcome).toSorted()).toEqual(["failed", "ok", "ok", "ok"]);
      expect(ofFirst.find((one) => one.outcome === "failed")).toMatchObject({ head: expect.stringMatching("lantern") });
      const rule = lanternRule(lab);
      const session = await lab.session({ prompt: "publish", turns: [...batch, ...batch, { text: "Done." }] });
      const [before, after] = listRequests(session).map(read);
      expect(before).not.toContain(`oldhand, rule ${rule.id}`);
      expect(after).toContain(`oldhand, rule ${rule.id}`);
      expect(count(wire(session), `oldhand, rule ${rule.id}`)).toBe(1);
    }));

  it("c: in a sub-agent: the next sub-agent is told before its first call", () =>
    inLab(async (lab) => {
      withLantern(lab.project);
      const errand = "take the beta to the public";
      const task = {
        description: "publish",
        prompt: errand,
        subagent_type: "general-purpose",
        run_in_background: false,
      };
      const delegate = (...commands: readonly string[]) =>
        lab.session({
          prompt: "have somebody publish the beta",
          turns: [
            { calls: [{ tool: "Agent", input: task }] },
            ...calls(claude, ...commands),
            ...Array.from({ length: 4 }, () => ({ text: "Published." })),
          ],
        });
      for (let n = 0; n < 4; n++) await delegate(WRONG, RIGHT);
      const failed = (await storedEvents(lab)).filter((one) => one.outcome === "failed");
      expect(failed.map((one) => one.agent === null)).toEqual([false, false, false, false]);
      const rule = lanternRule(lab);
      const session = await delegate("echo all is well");
      const ofSubAgent = listRequests(session)
        .map(read)
        .filter((text) => text.includes(errand) && !text.includes("have somebody publish"));
      expect(startBlockOfSubAgent(ofSubAgent[0] ?? "")).toContain(rule.text);
    }));

  it("h: while two more sessions run, in two projects: each is stored whole, and of the other project only its name is told", () =>
    inLab(async (lab) => {
      const shop = withLantern(lab.project);
      const blog = withLantern(lab.repository("blog"));
      const work = async (prompt: string, cwd: string) =>
        lab.session({ prompt, cwd, turns: [...calls(claude, WRONG, "sleep 4", RIGHT), { text: "Published." }] });
      const sessions = await Promise.all([
        work("publish the shop", shop),
        work("publish the shop's catalogue", shop),
        work("publish the blog", blog),
      ]);
      expect(sessions.map((one) => one.status)).toEqual([0, 0, 0]);
      const events = await storedEvents(lab);
      const names = [...new Set(events.map((one) => one.session))];
      expect(names).toHaveLength(3);
      for (const name of names) {
        const own = events.filter((one) => one.session === name).toSorted((a, b) => a.at - b.at);
        const kinds = ["session-start", "prompt", "call", "call", "call", "stop", "session-end"];
        expect(own.map((one) => one.kind)).toEqual(kinds);
        expect(own.filter((one) => one.kind === "call").map((one) => one.outcome)).toEqual(["failed", "ok", "ok"]);
        expect(new Set(own.map((one) => one.workspace)).size).toBe(1);
      }
      const running = lab.session({
        prompt: "publish the blog again",
        cwd: blog,
        turns: [...calls(claude, "sleep 20"), { text: "Published." }],
      });
      await started(lab, blog, 4);
      const beside = await lab.session({ prompt: "have a look", cwd: shop, turns: looks });
      await running;
      expect(read(listRequests(beside)[0])).toMatch(/Other sessions at work:[^]*blog/);
      expect(wire(beside)).not.toContain("publish the blog");
    }));

  it("i: in a project whose path has spaces: the rule holds there, and is told there", () =>
    inLab(async (lab) => {
      const shop = withLantern(lab.repository("my old shop"));
      await publish(lab, claude, { times: 4, cwd: shop });
      const rule = lanternRule(lab);
      expect(rule.scope).toEqual({ kind: "workspace", workspace: shop });
      const next = await lab.session({
        prompt: "publish",
        cwd: shop,
        turns: [...calls(claude, WRONG), { text: "No." }],
      });
      expect(startBlock(read(listRequests(next)[0]))).toContain(rule.text);
      expect(read(listRequests(next)[1])).toContain(`oldhand, rule ${rule.id}`);
    }));
});

/** The advice for a sub-agent has no date. */
function startBlockOfSubAgent(text: string): string {
  return /From oldhand, which remembers[^]*/.exec(text)?.[0] ?? "";
}

/** Waits until this many prompts are stored, one of them in the workspace. */
async function started(lab: Lab, workspace: string, sessions: number): Promise<void> {
  for (let n = 0; n < 100; n++) {
    const events = await storedEvents(lab);
    const prompts = events.filter((one) => one.kind === "prompt");
    if (prompts.length >= sessions && prompts.some((one) => one.workspace === workspace)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`no session started in ${workspace}`);
}
