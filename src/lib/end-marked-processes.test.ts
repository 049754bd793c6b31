import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endMarkedProcesses } from "./end-marked-processes.ts";

describe.skipIf(process.platform !== "linux")("endMarkedProcesses", () => {
  it("ends a process and its children by their mark, and nobody else", async () => {
    const start = (mark: string) =>
      spawn("sh", ["-c", "sleep 60 & wait"], { env: { PATH: process.env["PATH"], MARK: mark }, stdio: "ignore" });
    const marked = start("job@1 here/7/1");
    const other = start("job@1 here/7/11");
    // The environment of a new process can be read only a moment after its start.
    for (const { pid } of [marked, other])
      await expect.poll(() => readFileSync(`/proc/${pid}/environ`, "latin1")).toContain("MARK=");
    const ended = once(marked, "exit");
    expect(endMarkedProcesses("MARK", "job@1 here/7/1")).toBeGreaterThan(0);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(other.exitCode).toBeNull();
    expect(other.signalCode).toBeNull();
    const gone = once(other, "exit");
    endMarkedProcesses("MARK", "job@1 here/7/11");
    await gone;
    // A killed process is there until the system has cleaned up.
    await expect.poll(() => endMarkedProcesses("MARK", "job@1 here/7/11")).toBe(0);
    expect(endMarkedProcesses("MARK", "job@1 here/7/1")).toBe(0);
  });
});
