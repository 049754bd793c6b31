import { findOtherSettings } from "../../domain/shell/surroundings.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { GroupTry } from "./find-causes.ts";
import type { Remedy } from "./find-remedy.ts";
import { lineOf } from "./taught-traits.ts";

/** In one session only, it may be specific to that session. */
const MIN_SESSIONS = 2;

/** The port with which the same command worked, as an example: `PORT=4175`, `--port 4175`. */
export function findWorkingPort(tries: readonly GroupTry[], failed: readonly GroupTry[]): Remedy | null {
  const taken = new Set(failed.flatMap((one) => listPorts(one)));
  const uses = tries
    .filter((one) => !one.failed && failed.some((other) => isSameButPort(other, one)))
    .flatMap((one) => listPorts(one).map((said) => ({ said, session: one.session })))
    .filter(({ said }) => !taken.has(said));
  const [usual] = [...groupBy(uses, ({ said }) => said.replace(/\d+$/, "")).values()]
    .filter((some) => new Set(some.map(({ session }) => session)).size >= MIN_SESSIONS)
    .toSorted((a, b) => b.length - a.length);
  const value = usual?.at(-1)?.said ?? null;
  return value === null ? null : { command: null, tool: null, value, through: null, origin: "correction" };
}

/** Nothing but the port may be set in another way. */
function isSameButPort(failed: GroupTry, worked: GroupTry): boolean {
  const [before, after] = [failed, worked].map((one) => lineOf(one).replace(/(?<=^|\s)PORT=\d{2,5}(?=\s)/g, ""));
  return findOtherSettings(before ?? "", after ?? "") === null;
}

function listPorts(one: GroupTry): readonly string[] {
  return [...lineOf(one).matchAll(/(?:^|\s)(PORT=\d{2,5}|--port[= ]\d{2,5})(?=\s|$)/g)].map(([, said = ""]) => said);
}
