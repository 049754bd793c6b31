import { machineName } from "../../lib/machine-name.ts";
import type { Policy } from "../policy.ts";
import { toName } from "./addressee.ts";

/** The name of this machine among those of a team. */
export function ownMachineName({ policy }: { readonly policy: Pick<Policy, "team"> }): string {
  return toName(policy.team.machine || machineName());
}
