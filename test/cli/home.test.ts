import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findHomeFlag } from "../../src/config.ts";

const folder = mkdtempSync(join(tmpdir(), "oldhand-home-"));
const program = join(import.meta.dirname, "../../dist/oldhand.cjs");

describe("the home of a command line", () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is chosen with --home DIR and with --home=DIR alike", () => {
    expect(findHomeFlag(["hook", "codex", "--home", folder])).toBe(folder);
    expect(findHomeFlag(["hook", "codex", `--home=${folder}`])).toBe(folder);
    expect(findHomeFlag([])).toBe(findHomeFlag(["hook"]));
  });

  it("is where a hook stores, however it is written", () => {
    const home = join(folder, "chosen");
    const payload = {
      session_id: "s1",
      cwd: folder,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_response: { stdout: "", stderr: "" },
      tool_use_id: "t1",
    };
    const env = { PATH: process.env["PATH"], HOME: join(folder, "user") };
    const ran = spawnSync(process.execPath, [program, "hook", "claude-code", `--home=${home}`], {
      env,
      input: JSON.stringify(payload),
      encoding: "utf8",
    });
    expect(ran.status).toBe(0);
    expect(existsSync(join(home, "mind.db"))).toBe(true);
    expect(existsSync(join(folder, "user", ".oldhand"))).toBe(false);
  });
});
