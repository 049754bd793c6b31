import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { judgeByCopy } from "../../src/recall/copy/judge-by-copy.ts";
import { claimOverrides, listUsedOverrides, writeRuleCopy } from "../../src/recall/copy/rule-copy.ts";
import { takesAll } from "../call-control.ts";
import { aRule } from "../store/samples.ts";

const call = { host: "claude-code", session: "s1", workspace: null, cwd: "/w", agent: null, tool: "Bash" };

describe("an override, while only the copy of the rules is there,", () => {
  let home: string;
  beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "oldhand-copy-"))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const place = () => loadConfig({ home, env: { OLDHAND_DATABASE: "postgres://localhost/mind" } });
  /** Rules that deny the call, of which these have an override. */
  const copy = (...overridden: readonly string[]) => {
    const matcher = { tool: "shell", command: "npm test" };
    const rules = ["r1", "r2"].map((id) => ({
      ...aRule(id, { level: "deny", status: "approved", matcher }),
      onTrial: false,
    }));
    const overrides = overridden.map((rule) => ({ id: `o${rule}`, rule }));
    writeRuleCopy(place(), { workspace: null, at: systemClock.now(), journal: 1, rules, overrides });
  };
  const ask = async () => {
    const asked = { ...call, input: { command: "npm test" } };
    const verdict = await judgeByCopy({ config: place() }, asked, { takes: "both", control: takesAll });
    return verdict.kind === "judged" ? (verdict.decision?.reason ?? null) : verdict.kind;
  };

  it("is used up only by a call that no other rule denies", async () => {
    copy("r1");
    for (const _ of [1, 2]) expect(await ask()).toContain("rule r2");
    expect(listUsedOverrides(place())).toEqual([]);
    copy("r1", "r2");
    expect(await ask()).toBeNull();
    expect(await ask()).toContain("rule r1");
  });

  it("is left to another call if only some of those that a call needs are still there", () => {
    copy("r1", "r2");
    const use = { at: 1, host: "codex", session: "s2" };
    expect(claimOverrides(place(), ["or2"], use)).toBe(true);
    expect(claimOverrides(place(), ["or1", "or2"], use)).toBe(false);
    expect(listUsedOverrides(place()).map(({ id }) => id)).toEqual(["or2"]);
  });
});
