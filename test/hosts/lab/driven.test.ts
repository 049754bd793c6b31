import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openStore } from "../../../src/store/open.ts";
import { describeHost, type DrivenHost } from "./driven.ts";
import { pi } from "./hosts/pi.ts";
import type { Lab } from "./lab.ts";
import { wire } from "./wire.ts";

/** A client that sleeps as long as it is told. */
const sleeper: DrivenHost = {
  name: "sleeper",
  client: {
    kind: "ready",
    version: "1",
    command: ["/bin/sleep"],
    drive: { program: "sleeper", model: "openai", words: (prompt) => [prompt ?? "0"], env: () => ({}) },
  },
  prepare: () => {},
  shell: (command) => ({ tool: "shell", input: { command } }),
  tool: () => null,
};

describeHost("a scenario in a lab", sleeper, ({ inLab }) => {
  const play = (act: Scenario) => repeated((one) => inLab(one, { install: null }), act);
  const fail = (run: number) => {
    throw new Error(`wrong in run ${run}`);
  };

  it("that fails has failed, without a second run: a wrong text is no time-out", async () => {
    const played = await play(async (lab, run) => {
      await lab.session({ prompt: "0", turns: [] });
      fail(run);
    });
    expect(played).toEqual({ runs: 1, failure: "wrong in run 1", text: "" });
  });

  it("whose client was ended by the time limit runs once more, and prints why", async () => {
    const played = await play(async (lab, run) => {
      const { status } = await lab.session({ prompt: run === 1 ? "60" : "0", turns: [], limitMs: 3_000 });
      expect(status).toBe(0);
    });
    expect(played).toMatchObject({ runs: 2, failure: null });
    expect(played.text).toMatch(/once more: .*prints why\n {2}sleeper was ended after 3 s\n {2}failed with: .*null/);
  });

  it("in which a hook spooled its event runs once more, also where a command has emptied the spool since", async () => {
    const played = await play(async (lab, run) => {
      lab.json("status");
      if (run === 1) lab.write("", ".oldhand", "spool", "17-4.jsonl");
      lab.json("status");
      expect(lab.find(".oldhand/spool", "")).toEqual([]);
      if (run === 1) fail(run);
    });
    expect(played).toMatchObject({ runs: 2, failure: null });
    expect(played.text).toContain("hooks ran out of time: the spool got 1 of their files\n  failed with: Error: wrong");
  });

  it("whose store was spoilt has failed: that hooks spool then is no matter of time", async () => {
    const played = await play(async (lab, run) => {
      lab.write("this is no database", ".oldhand", "mind.db");
      lab.write("", ".oldhand", "spool", "17-4.jsonl");
      fail(run);
    });
    expect(played).toEqual({ runs: 1, failure: "wrong in run 1", text: "" });
  });

  it("that fails for want of time twice has failed", async () => {
    const played = await play(async (lab, run) => {
      lab.ranOut("too slow");
      fail(run);
    });
    expect(played).toMatchObject({ runs: 2, failure: "wrong in run 2" });
  });
});

describeHost("a scenario with a real client", pi, ({ inLab }) => {
  it("whose hooks waited in vain for a locked store runs once more", async () => {
    const played = await repeated(inLab, async (lab, run) => {
      lab.oldhand("remember", "The owner prefers Rust.");
      const store = await openStore({ database: join(lab.home, ".oldhand", "mind.db"), busyMs: 5_000 });
      if (run === 1) await store.db.run("begin immediate", []);
      const session = await lab.session({ prompt: "go on", turns: [{ text: "Well." }] });
      await store.close();
      expect(wire(session)).toContain("| The owner prefers Rust.");
    });
    expect(played).toMatchObject({ runs: 2, failure: null });
    expect(played.text).toMatch(/hooks ran out of time: the spool got \d+ of their files/);
  });
});

type Scenario = (lab: Lab, run: number) => Promise<void>;

/** The number of runs, the output, and the final error. */
async function repeated(inLab: (act: (lab: Lab) => Promise<void>) => Promise<void>, act: Scenario) {
  let runs = 0;
  const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const failure = await inLab((lab) => act(lab, ++runs)).then(
    () => null,
    (error: Error) => error.message,
  );
  const text = printed.mock.calls.map(([line]) => String(line)).join("");
  printed.mockRestore();
  return { runs, failure, text };
}
