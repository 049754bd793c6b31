import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { endMarkedProcesses } from "./end-marked-processes.ts";

describe.skipIf(process.platform !== "linux")("endMarkedProcesses", () => {
  it("ends a process and its children by their mark, and nobody else", async () => {
    const start = (mark: string) =>
      spawn("sh", ["-c", "sleep 60 & wait"], { env: { PATH: process.env["PATH"], MARK: mark }, stdio: "ignore" });
    const marked = start("job@1 here/7/1");
    const other = start("job@1 here/7/11");
    await Promise.all([once(marked, "spawn"), once(other, "spawn")]);
    const ended = once(marked, "exit");
    expect(endMarkedProcesses("MARK", "job@1 here/7/1")).toBeGreaterThan(0);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(other.exitCode).toBeNull();
    expect(other.signalCode).toBeNull();
    const gone = once(other, "exit");
    endMarkedProcesses("MARK", "job@1 here/7/11");
    await gone;
    expect(endMarkedProcesses("MARK", "job@1 here/7/1")).toBe(0);
  });
});
