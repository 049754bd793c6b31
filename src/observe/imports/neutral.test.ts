import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../domain/policy.ts";
import { parseNeutralEvent } from "./neutral.ts";

const line = { session: "s", seq: 0, ts: "2026-01-05T09:00:00Z", tool: "Bash", input: { command: "ls" }, ok: true };
const workspaceOf = (over: object) => parseNeutralEvent({ ...line, ...over }, defaultPolicy.observe)?.workspace;

describe("a neutral line", () => {
  it("is of its project where it was recorded on another machine: eleven repositories share one `/testbed`", () => {
    const cwd = "/nowhere/testbed";
    expect(workspaceOf({ cwd, project: "swebench/sympy" })).toBe("swebench/sympy");
    expect(workspaceOf({ cwd, project: "swebench/django" })).toBe("swebench/django");
    expect(workspaceOf({ cwd })).toBe(cwd);
  });

  it("is of its folder where that is on this machine, so that its rules speak there", () => {
    const cwd = mkdtempSync(join(tmpdir(), "oldhand-neutral-"));
    try {
      expect(workspaceOf({ cwd, project: "ada/shop" })).toBe(cwd);
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });
});
