import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends all processes of this machine that were started with this variable in their environment, which every child gets
 * too. A number that another process has by now is never hit: the mark is read from the process itself. Returns how many.
 * Only Linux shows the environment of a process; elsewhere this does nothing.
 */
export function endMarkedProcesses(name: string, value: string): number {
  if (process.platform !== "linux") return 0;
  const ended = new Set<string>();
  // A process may start another one while the list is read: look again until a look finds no new one.
  for (let found = endOnce(`\0${name}=${value}\0`, ended); found > 0;) found = endOnce(`\0${name}=${value}\0`, ended);
  return ended.size;
}

function endOnce(mark: string, ended: Set<string>): number {
  const marked = readdirSync("/proc").filter(
    (entry) =>
      /^\d+$/.test(entry) &&
      Number(entry) !== process.pid &&
      !ended.has(entry) &&
      readEnvironment(entry).includes(mark),
  );
  for (const pid of marked) {
    end(Number(pid));
    ended.add(pid);
  }
  return marked.length;
}

function readEnvironment(pid: string): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
  } catch {
    // It has ended, or belongs to another user.
    return "";
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
