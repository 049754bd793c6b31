import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../src/converse/tools/shell/run-program.ts";
import { isProcessRunning } from "../../src/lib/process-ref.ts";
import { stores } from "../stores.ts";
import { withJobs } from "./job-place.ts";

/** It writes its line a little after it was asked to end. */
const tidy = (line: string) =>
  `trap 'sleep 0.2; echo ${line} >> tidied.txt; exit 1' TERM; echo ready >> ready.txt; sleep 61 & wait`;

const linesOf = (folder: string, name: string) =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").trim().split("\n").toSorted() : [];

describe.skipIf(process.platform === "win32").each(stores)("a command that is ended, on $name", (kind) => {
  it("at its time limit may tidy up first, and so may its children", () =>
    withJobs(kind, async (place) => {
      const folder = place.ctx.config.home;
      await place.add("tests", { command: `(${tidy("child")}) & (${tidy("other")}) & wait`, seconds: 1, folder });
      const { slot } = await place.run("job run", { name: "tests" });
      expect(slot).toMatchObject({ fate: "failed", detail: "it took longer than 1 seconds" });
      expect(linesOf(folder, "tidied.txt")).toEqual(["child", "other"]);
    }));

  it.skipIf(process.platform !== "linux")("by itself says how many processes it left behind, which are ended", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { command: "sleep 61 & echo done" });
      const { slot } = await place.run("job run", { name: "tests" });
      expect(slot).toMatchObject({ fate: "ran", detail: "done\n(1 process that it left behind was ended)" });
      await place.run("job edit", { name: "tests", command: "sleep 0.1 & wait" });
      expect((await place.run("job run", { name: "tests" })).slot.detail).toBe("exit 0");
    }),
  );
});

describe.skipIf(process.platform === "win32")("a program with a time of grace", () => {
  const withFolder = async (act: (folder: string) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), "oldhand-grace-"));
    await act(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
  };
  const runIn = (cwd: string, command: string, of: { readonly signal: AbortSignal; readonly graceMs: number }) => {
    const env = { PATH: process.env["PATH"] ?? "" };
    const request = { program: "sh", args: ["-c", command], cwd, env, timeoutMs: 60_000, mostCharacters: 500 };
    return runProgram({ ...request, ...of, report: () => {} });
  };
  const whenReady = async (folder: string) => {
    await expect.poll(() => linesOf(folder, "ready.txt"), { timeout: 10_000 }).not.toEqual([]);
  };

  it("that is stopped ends by itself, and nothing waits for the rest of the time", () =>
    withFolder(async (folder) => {
      const stop = new AbortController();
      const result = runIn(folder, tidy("self"), { signal: stop.signal, graceMs: 3_600_000 });
      await whenReady(folder);
      stop.abort();
      expect(await result).toMatchObject({ ended: "stopped", exitCode: 1 });
      expect(linesOf(folder, "tidied.txt")).toEqual(["self"]);
    }));

  it("that does not listen is ended after it, with its children", () =>
    withFolder(async (folder) => {
      const stop = new AbortController();
      const command = "trap '' TERM; sleep 62 & echo $! > ready.txt; wait; sleep 63";
      const result = runIn(folder, command, { signal: stop.signal, graceMs: 200 });
      await whenReady(folder);
      stop.abort();
      expect(await result).toMatchObject({ ended: "stopped", signalName: "SIGKILL" });
      const [child] = linesOf(folder, "ready.txt");
      await expect.poll(() => isProcessRunning(Number(child))).toBe(false);
    }));
});
