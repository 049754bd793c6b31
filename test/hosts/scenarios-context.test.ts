import { expect, it } from "vitest";
import { describeHost } from "./lab/driven.ts";
import { calls, claude, lanternRule, publish, RIGHT, withLantern, WRONG } from "./lab/lantern.ts";
import type { Lab } from "./lab/lab.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests, count, read, startBlock, wire } from "./lab/wire.ts";

const SESSION = "5ca1ab1e-0000-4000-8000-00000000cafe";

describeHost(`a session of Claude Code ${claude.client.version} that goes on`, claude, ({ inLab }) => {
  /** A session that was shown the rule at its start and at its call. */
  const withSession = (act: (lab: Lab, id: string) => Promise<void>) =>
    inLab(async (lab) => {
      withLantern(lab.project);
      await publish(lab, claude, { times: 5, cwd: lab.project });
      const { id } = lanternRule(lab);
      const turns = [...calls(claude, WRONG, RIGHT), { text: "Published." }, { text: "Published." }];
      const first = await lab.session({ prompt: "publish the beta", turns, flags: ["--session-id", SESSION] });
      expect(startBlock(read(listRequests(first)[0]))).toContain(id);
      expect(count(wire(first), `oldhand, rule ${id}`)).toBe(1);
      await act(lab, id);
    });
  const resume = (lab: Lab, prompt: string, ...commands: readonly string[]) => {
    const turns = [...calls(claude, ...commands), { text: "Published." }, { text: "Published." }];
    return lab.session({ prompt, turns, flags: ["--resume", SESSION] });
  };

  it("e: after /compact: the start text comes again, and so does the note at the call", () =>
    withSession(async (lab, id) => {
      await lab.session({
        prompt: "/compact",
        turns: [{ text: "<summary>A beta was published.</summary>" }],
        flags: ["--resume", SESSION],
      });
      const after = await resume(lab, "publish it once more", WRONG, WRONG, RIGHT);
      const requests = listRequests(after).map(read);
      expect(requests[0]).toContain("A beta was published.");
      expect(count(requests[0] ?? "", "From oldhand, which remembers")).toBe(1);
      expect(startBlock(requests[0] ?? "")).toContain(id);
      expect(requests[0]).not.toContain(`oldhand, rule ${id}`);
      expect(count(wire(after), `oldhand, rule ${id}`)).toBe(1);
    }));

  it("g: after --resume: the start text is not repeated, and a repeat of the mistake is commented on", () =>
    withSession(async (lab, id) => {
      const again = await resume(lab, "publish it once more", WRONG, WRONG, RIGHT);
      expect(again).toMatchObject({ status: 0 });
      expect(count(wire(again), "From oldhand, which remembers")).toBe(1);
      expect(count(read(listRequests(again)[0]), `oldhand, rule ${id}`)).toBe(1);
      expect(count(wire(again), `oldhand, rule ${id}`)).toBe(2);
      const sessions = new Set((await storedEvents(lab)).map((one) => one.session));
      expect(sessions.size).toBe(6);
    }));
});
