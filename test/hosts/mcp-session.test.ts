import { expect, it } from "vitest";
import { describeHosts, hostTitle } from "./lab/driven.ts";
import { drivenHosts } from "./lab/hosts/all.ts";
import { storedEvents } from "./lab/stored-events.ts";

/** These send their MCP servers nothing about the session. */
const SILENT: ReadonlySet<string> = new Set(["gemini", "opencode", "cline"]);

const mistake = {
  what: "pushed a broken build",
  why: "trusted an old run",
  shouldHave: "run the tests again",
  pattern: "not-verifying",
  signal: "the last run said 0 tests",
};

describeHosts(
  ({ host }) => `a mistake that an agent of ${hostTitle(host)} writes down by MCP`,
  drivenHosts.map((host) => ({ host })),
  ({ host, inLab }) => {
    const call = host.tool("mistake", mistake);
    if (call === null) return it.skip("knows its session (skipped: oldhand is not among its MCP servers)", () => {});

    it(SILENT.has(host.name) ? "is of no session" : "knows its session", () =>
      inLab(async (lab) => {
        await lab.session({ prompt: "go on", turns: [{ calls: [call] }, { text: "Done." }, { text: "Done." }] });
        const { entries } = lab.json<{ entries: { session: string | null; workspace: string }[] }>("ledger");
        const events = await storedEvents(lab);
        const session = SILENT.has(host.name) ? null : events[0]?.session;
        expect(entries).toMatchObject([{ session, workspace: lab.project }]);
      }),
    );
  },
);
