import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { composeSandboxProfile } from "../../src/converse/tools/shell/sandbox-profile.ts";
import { root } from "../program.ts";
import { sandbox } from "./sandbox.ts";
import { seenInSandbox } from "./tool-context.ts";

let dir = "";
beforeAll(async () => {
  dir = mkdtempSync(join(seenInSandbox, "oldhand-killed-"));
  const made = await rolldown({
    ...{ cwd: root, input: { run: "src/converse/tools/shell/run-program.ts" } },
    ...{ platform: "node", logLevel: "silent" },
  });
  await made.write({ dir, format: "esm", entryFileNames: "[name].mjs" });
  await made.close();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** How many processes have this text in their command line. */
function countRunning(mark: string): number {
  const { stdout } = spawnSync("ps", ["-eo", "stat=,args="], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => !line.startsWith("Z") && line.includes(mark)).length;
}

describe.skipIf(process.platform === "win32")("a command whose oldhand is killed by SIGKILL", () => {
  it.each(["without a sandbox", "closed", "open"] as const)("ends with all that it started (%s)", async (kind) => {
    if (kind !== "without a sandbox" && sandbox === null) return;
    const mark = `${60 + Math.random()}`;
    const begun = join(dir, `begun-${mark}`);
    const shell = ["sh", "-c", `sleep ${mark} & echo x > ${begun}; sleep ${mark}; echo end >> ${begun}`];
    const place = { workspace: dir, cwd: dir, hasNetwork: true, userHome: homedir(), own: [] };
    const profile = kind === "without a sandbox" ? null : composeSandboxProfile({ ...place, kind });
    const plan = profile === null || sandbox === null ? null : sandbox.plan(profile);
    const [program = "", ...args] = plan === null ? shell : [plan.program, ...plan.args, ...shell];
    const request = {
      program,
      args,
      cwd: dir,
      env: process.env,
      timeoutMs: 100_000,
      mostCharacters: 100,
      mountPoints: profile?.absent,
    };
    const code = `import { runProgram } from ${JSON.stringify(join(dir, "run.mjs"))};
      await runProgram({ ...${JSON.stringify(request)}, signal: new AbortController().signal, report() {} });`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" });
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
    parent.kill("SIGKILL");
    await expect.poll(() => countRunning(mark), { timeout: 20_000 }).toBe(0);
    expect(readFileSync(begun, "utf8")).toBe("x\n");
    // Nor does it leave the folders that the sandbox needed in the workspace.
    await expect.poll(() => readdirSync(dir).filter((name) => name.startsWith(".")), { timeout: 20_000 }).toEqual([]);
  });
});
