import { expect, it, vi } from "vitest";
import { describeHost, type DrivenHost } from "./driven.ts";
import type { Lab } from "./lab.ts";

/** A client that waits for what it is told to. */
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
  /** How often it ran, what was printed, and with what it failed in the end. */
  const play = async (act: (lab: Lab, run: number) => Promise<void>) => {
    let runs = 0;
    const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const failure = await inLab((lab) => act(lab, ++runs), { install: null }).then(
      () => null,
      (error: Error) => error.message,
    );
    const text = printed.mock.calls.map(([line]) => String(line)).join("");
    printed.mockRestore();
    return { runs, failure, text };
  };
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
      if (run === 1) lab.write("", ".oldhand", "spool", "17-4.jsonl");
      lab.json("status");
      expect(lab.find(".oldhand/spool", "")).toEqual([]);
      if (run === 1) fail(run);
    });
    expect(played).toMatchObject({ runs: 2, failure: null });
    expect(played.text).toContain("a hook ran out of time and spooled its event (17-4)\n  failed with: Error: wrong");
  });

  it("that fails for want of time twice has failed", async () => {
    const played = await play(async (lab, run) => {
      lab.ranOut("too slow");
      fail(run);
    });
    expect(played).toMatchObject({ runs: 2, failure: "wrong in run 2" });
  });
});
