import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** The holder of a lease: a process on a machine, distinguished from a later one with the same pid. */
export interface ProcessRef {
  readonly machine: string;
  readonly pid: number;
  /** When the process started, if the system says so; otherwise empty. */
  readonly born: string;
}

export function currentProcess(): ProcessRef {
  return { machine: hostname(), pid: process.pid, born: bornAt(process.pid) ?? "" };
}

/** This process, as text. Read once. */
export function ownProcessRef(): string {
  return (own ??= formatProcessRef(currentProcess()));
}

let own: string | null = null;

export function formatProcessRef(owner: ProcessRef): string {
  return `${owner.machine}/${owner.pid}/${owner.born}`;
}

/** A process under the name that its machine has among others. Whoever compares processes ignores the name. */
export function nameProcess(ref: string, machine: string): string {
  return `${ref}/${machine}`;
}

/** The name of its machine, for a person. */
export function machineOfProcess(text: string): string {
  const [host = "", , , name = host] = text.split("/");
  return name;
}

/** For a person. */
export function describeProcess(text: string): string {
  return `process ${text.split("/")[1]} on ${machineOfProcess(text)}`;
}

/** True if the process is, or was, on this machine. */
export function isOfThisMachine(text: string): boolean {
  return text.split("/")[0] === hostname();
}

/** True only if certain: the process was on this machine and is gone. */
export function isProcessGone(text: string): boolean {
  const [machine, pid, born] = text.split("/");
  if (machine !== hostname() || pid === undefined || !/^\d+$/.test(pid)) return false;
  if (!isProcessRunning(Number(pid))) return true;
  const now = bornAt(Number(pid));
  return now !== null && born !== undefined && born !== "" && now !== born;
}

/** Those of these processes that are certainly gone. */
export function listGoneProcesses(refs: Iterable<string | null>): readonly string[] {
  return [...new Set(refs)].filter((ref) => ref !== null && ref !== own && isProcessGone(ref)) as string[];
}

export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The start time of a process (field 22 of its stat) on Linux; null elsewhere, where only the pid is compared. */
function bornAt(pid: number): string | null {
  if (process.platform !== "linux") return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
