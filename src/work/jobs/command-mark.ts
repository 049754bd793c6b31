import { isOfThisMachine } from "../../lib/process-ref.ts";
import { endMarkedProcesses } from "../../lib/end-marked-processes.ts";
import type { Slot } from "../../store/work/slots.ts";
import { slotItem } from "./slot-items.ts";

/** A variable that the command of a slot gets, and that says which worker started it for which slot. */
const MARK = "OLDHAND_RUN";

export function markOf(slot: Pick<Slot, "job" | "slot">, worker: string): readonly [name: string, value: string] {
  return [MARK, `${slotItem(slot)} ${worker}`];
}

/**
 * Ends what is left of a slot's command on this machine. The command of a worker that died ends with it; that of a worker
 * that is only stopped (SIGSTOP, a debugger) goes on, beside the next slot. Returns how many processes it ended.
 */
export function endLeftCommand({ worker, ...slot }: Pick<Slot, "job" | "slot" | "worker">): number {
  if (worker === null || !isOfThisMachine(worker)) return 0;
  return endMarkedProcesses(...markOf(slot, worker));
}
