import { describe, expect, it } from "vitest";
import {
  type Action,
  type ActionSituation,
  type ActionVerdict,
  type CommandTraits,
  actionPlaces,
  decideAction,
  requireYes,
} from "./decide-action.ts";
import { chatModes } from "../settings/chat-mode.ts";
import { toolEffects } from "./tool-effect.ts";

const situation: ActionSituation = {
  mode: "ask",
  hasPerson: true,
  hasSandbox: true,
  sandboxHasNetwork: false,
  standing: null,
};
const npmTest = { isReading: false, reachesHome: "unknown", needsNetwork: false } as const;
const gitStatus = { isReading: true, reachesHome: "no", needsNetwork: false } as const;

function decide(action: Partial<Action>, over: Partial<ActionSituation> = {}): ActionVerdict["kind"] {
  return decideAction({ effect: "read", place: "inside", target: "a.ts", ...action }, { ...situation, ...over }).kind;
}

describe("what oldhand's own agent may do", () => {
  it("reads files of the workspace and changes its own memory in every mode", () => {
    for (const mode of chatModes) {
      expect(decide({ effect: "read" }, { mode })).toBe("run");
      expect(decide({ effect: "internal" }, { mode })).toBe("run");
    }
  });

  it.each([
    ["read-only", "refuse", "refuse", "refuse"],
    ["ask", "ask", "ask", "ask"],
    ["edit", "run", "run", "ask"],
    ["unattended", "run", "run", "refuse"],
  ] as const)("in the mode %s: edit %s, command %s, external %s", (mode, edit, execute, external) => {
    expect(decide({ effect: "edit" }, { mode })).toBe(edit);
    expect(decide({ effect: "execute", command: npmTest }, { mode })).toBe(execute);
    expect(decide({ effect: "external", target: "example.org" }, { mode })).toBe(external);
  });

  it("runs no command unattended without a sandbox, and says how to get one", () => {
    const verdict = decideAction(
      { effect: "execute", place: "inside", target: "npm test", command: gitStatus },
      { ...situation, mode: "unattended", hasSandbox: false, standing: "always" },
    );
    expect(verdict).toMatchObject({ kind: "refuse", remedy: expect.stringContaining("apt install bubblewrap") });
  });

  it("runs only commands that plainly read in the mode edit without a sandbox", () => {
    const over = { mode: "edit", hasSandbox: false } as const;
    expect(decide({ effect: "execute", command: gitStatus }, over)).toBe("run");
    expect(decide({ effect: "execute", command: npmTest }, over)).toBe("ask");
  });

  it("gives a sandboxed command the network only with a yes, or if the owner allows it for all", () => {
    const command = { ...npmTest, needsNetwork: true };
    expect(decide({ effect: "execute", command }, { mode: "edit" })).toBe("ask");
    expect(decide({ effect: "execute", command }, { mode: "unattended" })).toBe("refuse");
    expect(decide({ effect: "execute", command }, { mode: "edit", sandboxHasNetwork: true })).toBe("run");
    expect(decide({ effect: "execute", command }, { mode: "unattended", sandboxHasNetwork: true })).toBe("run");
  });

  it("asks about a command that names oldhand's own files, whatever was approved before", () => {
    const command = { ...npmTest, reachesHome: "named" } as const;
    for (const mode of ["ask", "edit"] as const)
      expect(
        decideAction(
          { effect: "execute", place: "inside", target: "", command },
          { ...situation, mode, standing: "always" },
        ),
      ).toEqual({
        kind: "ask",
        reason: expect.stringMatching(/^This command could touch oldhand's own files, so it asks every time\./),
        isOnceOnly: true,
      });
    expect(decide({ effect: "execute", command }, { mode: "unattended", standing: "always" })).toBe("refuse");
  });

  it("lets a standing yes cover a command only where oldhand's home can be hidden from it", () => {
    const command = npmTest;
    expect(decide({ effect: "execute", command }, { standing: "always" })).toBe("run");
    expect(decide({ effect: "execute", command }, { standing: "always", hasSandbox: false })).toBe("ask");
    expect(decide({ effect: "execute", command: gitStatus }, { standing: "session", hasSandbox: false })).toBe("run");
  });

  it("never changes or reads its own home and the rest of the machine by other tools", () => {
    for (const mode of chatModes)
      for (const effect of toolEffects)
        for (const place of ["own", "outside"] as const)
          for (const standing of [null, "session", "always"] as const)
            if (effect !== "execute") expect(decide({ effect, place }, { mode, standing })).toBe("refuse");
  });

  it("asks before it opens files with secrets or changes settings of other programs, also in the mode edit", () => {
    for (const mode of ["ask", "edit"] as const) {
      expect(decide({ effect: "read", place: "credentials" }, { mode })).toBe("ask");
      expect(decide({ effect: "edit", place: "credentials" }, { mode })).toBe("ask");
      expect(decide({ effect: "edit", place: "host" }, { mode })).toBe("ask");
      expect(decide({ effect: "edit", place: "host" }, { mode, standing: "session" })).toBe("run");
    }
    expect(decide({ effect: "read", place: "credentials" }, { mode: "unattended" })).toBe("refuse");
    expect(decide({ effect: "edit", place: "host" }, { mode: "unattended" })).toBe("refuse");
  });

  it("asks about a command that names a file with secrets as about the tool that reads it", () => {
    for (const secret of [
      { ...npmTest, secret: ".env" },
      { ...gitStatus, isReading: false, secret: ".env" },
    ]) {
      const cat = { effect: "execute", command: secret } as const;
      expect(decide(cat, { mode: "edit" })).toBe("ask");
      // In the sandbox, its files are hidden.
      expect(decide(cat, { mode: "edit", standing: "session" })).toBe("ask");
      expect(decide(cat, { mode: "edit", standingOutside: { reach: "session", changed: null } })).toBe("run");
      expect(decide(cat, { mode: "unattended" })).toBe("refuse");
    }
  });

  it("says where a command runs with a yes", () => {
    const reasonOf = (command: CommandTraits, over: Partial<ActionSituation>) => {
      const verdict = decideAction(
        { effect: "execute", place: "inside", target: "", command },
        { ...situation, ...over },
      );
      return verdict.kind === "run" ? "" : verdict.reason;
    };
    const outside = "It runs outside the sandbox, with your files and network";
    const named = { ...npmTest, reachesHome: "named" } as const;
    for (const mode of ["ask", "edit"] as const) {
      for (const command of [
        { ...npmTest, secret: ".env" },
        { ...npmTest, needsNetwork: true },
      ])
        expect(reasonOf(command, { mode })).toContain(
          `${outside}, also with a yes for the session or for always. Changes in other files that it loads are not seen.`,
        );
      expect(reasonOf(named, { mode })).toContain(`${outside}.`);
      expect(reasonOf(named, { mode, hasSandbox: false })).toContain(
        "There is no sandbox here: it runs with your files and network.",
      );
    }
    expect(reasonOf(npmTest, {})).toBe(
      "It runs a program. With a yes for once it runs outside the sandbox, with your files and network; with one for the session or for always, in the sandbox.",
    );
    // Where nobody is asked, nobody's yes is spoken of.
    expect(reasonOf(npmTest, { hasPerson: false })).toBe("It runs a program.");
  });

  it("asks again outside the sandbox after a change of what the command runs", () => {
    const install = {
      effect: "execute",
      place: "inside",
      target: "",
      command: { ...npmTest, needsNetwork: true },
    } as const;
    const yes = (changed: string | null) => ({ ...situation, standingOutside: { reach: "always", changed } as const });
    expect(decideAction(install, yes(null))).toEqual({ kind: "run", because: "standing", isOutside: true });
    expect(decideAction(install, yes("package.json has changed"))).toMatchObject({
      ...{ kind: "ask", isOutside: true },
      reason: expect.stringContaining("package.json has changed since your last yes to it"),
    });
    expect(decideAction(install, { ...situation, standing: "always" }).kind).toBe("ask");
    expect(decideAction({ ...install, command: npmTest }, yes(null)).kind).toBe("ask");
  });

  it("asks about a command whose operand leads out of the workspace, or that contacts an address, and says so", () => {
    const linked = "notes.txt leads to /home/ada/x, outside the workspace.";
    const cat = { effect: "execute", place: "inside", target: "", command: { ...npmTest, linked } } as const;
    const reason = `${linked} It runs outside the sandbox, with your files and network.`;
    const asked = { kind: "ask", reason, isOnceOnly: true };
    expect(decideAction(cat, { ...situation, standing: "always" })).toEqual(asked);
    expect(decideAction(cat, { ...situation, mode: "edit" }).kind).toBe("run");
    const secret = { ...cat, command: { ...cat.command, secret: "/home/ada/x" } };
    expect(decideAction(secret, { ...situation, standing: "always" })).toEqual(asked);
    expect(decideAction(secret, { ...situation, mode: "edit" }).kind).toBe("ask");
    const curl = { ...npmTest, contacts: "169.254.169.254, an address of this machine or its network" };
    expect(decideAction({ effect: "execute", place: "inside", target: "", command: curl }, situation)).toEqual({
      ...{ kind: "ask", isOutside: true },
      reason: expect.stringMatching(/^It may contact 169\.254\.169\.254, an address of this machine or its network\./),
    });
  });

  it("asks before it changes what is in the prompt of later sessions, also in the mode edit", () => {
    for (const target of ["AGENTS.md", "sub/CLAUDE.md", ".cursorrules"])
      expect(decideAction({ effect: "edit", place: "host", target }, { ...situation, mode: "edit" })).toEqual({
        kind: "ask",
        reason: `${target} is in the prompt of later sessions, of this agent and of others.`,
      });
  });

  it("counts only a yes for always where nobody can be asked", () => {
    const external = { effect: "external", target: "example.org" } as const;
    expect(decide(external, { standing: "session" })).toBe("run");
    expect(decide(external, { mode: "unattended", standing: "session" })).toBe("refuse");
    expect(decide(external, { mode: "unattended", standing: "always" })).toBe("run");
    expect(decide(external, { hasPerson: false })).toBe("refuse");
    expect(decide(external, { hasPerson: false, standing: "always" })).toBe("run");
  });

  it("asks if a rule wants a person's yes, and refuses where nobody can be asked", () => {
    const free = { kind: "run", because: "free" } as const;
    expect(requireYes(free, situation, undefined)).toEqual(free);
    expect(requireYes(free, situation, "Rule r1.")).toEqual({ kind: "ask", reason: "Rule r1.", isOnceOnly: true });
    expect(requireYes(free, { ...situation, mode: "unattended" }, "Rule r1.").kind).toBe("refuse");
    expect(requireYes({ kind: "ask", reason: "x" }, situation, "Rule r1.")).toEqual({ kind: "ask", reason: "x" });
  });

  it("never asks where nobody can answer", () => {
    for (const mode of chatModes)
      for (const effect of toolEffects)
        for (const place of actionPlaces)
          for (const hasPerson of [true, false])
            for (const hasSandbox of [true, false])
              for (const standing of [null, "session", "always"] as const)
                for (const command of [undefined, npmTest, gitStatus]) {
                  const kind = decide({ effect, place, command }, { mode, hasPerson, hasSandbox, standing });
                  if (mode === "unattended" || !hasPerson) expect(kind).not.toBe("ask");
                  if (mode === "read-only" && kind === "run") expect(["read", "internal"]).toContain(effect);
                }
  });
});
