import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Who holds a lease: a process on a machine, told apart from a later one that got the same number. */
export interface ProcessRef {
  readonly machine: string;
  readonly pid: number;
  /** When the process began, where the system tells; else empty. */
  readonly born: string;
}

export function currentProcess(): ProcessRef {
  return { machine: hostname(), pid: process.pid, born: bornAt(process.pid) ?? "" };
}

export function formatProcessRef(owner: ProcessRef): string {
  return `${owner.machine}/${owner.pid}/${owner.born}`;
}

/** True only when it is certain: the owner was on this machine and its process is gone. */
export function isProcessGone(text: string): boolean {
  const [machine, pid, born] = text.split("/");
  if (machine !== hostname() || pid === undefined || !/^\d+$/.test(pid)) return false;
  if (!isProcessRunning(Number(pid))) return true;
  const now = bornAt(Number(pid));
  return now !== null && born !== undefined && born !== "" && now !== born;
}

export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but is not ours.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Linux tells when a process began (field 22 of its stat); elsewhere the number alone must do. */
function bornAt(pid: number): string | null {
  if (process.platform !== "linux") return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
