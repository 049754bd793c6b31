import { describe, expect, it } from "vitest";
import { newId } from "../../../lib/ids.ts";
import { readOutcome } from "../../event/outcome.ts";
import { parseBlock } from "../guard.ts";
import { formatRuleMessage, formatStopForPerson } from "./rule-message.ts";

describe("a rule as it is said by itself", () => {
  const said = formatRuleMessage({
    id: newId("r", 5),
    text: "run pnpm test",
    origin: "tool",
    matcher: null,
    status: "approved",
  });
  const call = { host: "claude-code", tool: "Bash", input: { command: "npm test" }, ok: false };

  it("says so where nobody has approved it", () => {
    const rule = { id: "r_1", text: "Avoid `rtk bun`.", origin: "tool", matcher: null } as const;
    expect(formatRuleMessage({ ...rule, status: "approved" })).toBe("oldhand, rule r_1: Avoid `rtk bun`.");
    expect(formatRuleMessage({ ...rule, status: "candidate" })).toBe(
      "oldhand, rule r_1: Avoid `rtk bun`. (candidate; not yet reviewed)",
    );
  });

  it("has other words for the person whose agent was stopped", () => {
    const rule = {
      id: "r_1",
      text: "Use pnpm.",
      origin: "owner",
      matcher: null,
      status: "approved",
      level: "deny",
    } as const;
    expect(formatStopForPerson([rule], "hold")).toBe(
      "Held once by rule r_1: Use pnpm. If the agent repeats the call, it passes.",
    );
    expect(formatStopForPerson([rule], "deny")).toBe(
      "Denied by rule r_1: Use pnpm. To allow it once: oldhand override r_1",
    );
    expect(formatStopForPerson([{ ...rule, level: "ask" }], "deny")).toContain("wants your yes");
  });

  it("is recognised when a host hands it back as the error of a call", () => {
    for (const text of [said, `Error: ${said}`]) expect(readOutcome({ ...call, text }).outcome).toBe("denied");
    expect(readOutcome({ ...call, text: `npm printed: ${said}` }).outcome).toBe("failed");
  });

  it("is no block of somebody else's, whoever passed it on", () => {
    for (const text of [said, `Error: ${said}`, `PreToolUse:Bash hook error: [oldhand hook]: ${said}`])
      expect(parseBlock(text)).toBeNull();
    expect(parseBlock("oldhand: only the owner may run this command [refused]\n  ask the user")).toBeNull();
    expect(parseBlock("PreToolUse:Bash hook error: [guard.sh]: run pnpm test")).toMatchObject({ by: "hook" });
  });
});
