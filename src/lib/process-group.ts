import { readdirSync, readFileSync } from "node:fs";

/** How many processes of a group live; null where the system does not say (only Linux does). */
export function countGroupMembers(group: number): number | null {
  if (process.platform !== "linux") return null;
  return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && isLivingMember(entry, group)).length;
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, , ofGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(ofGroup) === group && state !== "Z" && state !== "X";
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
