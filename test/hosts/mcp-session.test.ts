import { describe, expect, it } from "vitest";
import { type DrivenHost, labOf } from "./lab/driven.ts";
import { claudeCodes } from "./lab/hosts/claude-code.ts";
import { cline } from "./lab/hosts/cline.ts";
import { codex } from "./lab/hosts/codex.ts";
import { copilot } from "./lab/hosts/copilot.ts";
import { droid } from "./lab/hosts/droid.ts";
import { gemini } from "./lab/hosts/gemini.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import { qwen } from "./lab/hosts/qwen.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";

const hosts: readonly DrivenHost[] = [...claudeCodes, codex, gemini, opencode, copilot, qwen, droid, cline];
const alone = loopbackOnly();

/** They tell their MCP servers nothing of the session. */
const SILENT: ReadonlySet<string> = new Set(["gemini", "opencode", "cline"]);

const mistake = {
  what: "pushed a broken build",
  why: "trusted an old run",
  shouldHave: "run the tests again",
  pattern: "not-verifying",
  signal: "the last run said 0 tests",
};

describe.each(hosts.map((host) => ({ host, title: `${host.name} ${host.client.version}` })))(
  "a mistake that an agent of $title writes down by MCP",
  ({ host }) => {
    const call = host.tool("mistake", mistake);
    if (alone === null || host.client.kind === "absent" || call === null) {
      const why = host.client.kind === "absent" ? host.client.why : "no MCP server or no network namespace here";
      it.skip(`knows its session (skipped: ${why})`, () => {});
      return;
    }

    it(SILENT.has(host.name) ? "is of no session" : "knows its session", async () => {
      using lab = labOf(host, alone);
      await lab.session({ prompt: "go on", turns: [{ calls: [call] }, { text: "Done." }, { text: "Done." }] });
      const { entries } = lab.json<{ entries: { session: string | null; workspace: string }[] }>("ledger");
      const events = await storedEvents(lab);
      const session = SILENT.has(host.name) ? null : events[0]?.session;
      expect(entries).toMatchObject([{ session, workspace: lab.project }]);
    });
  },
);
