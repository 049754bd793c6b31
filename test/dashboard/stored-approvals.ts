import type { Approval } from "../../src/domain/approval/approval.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { newId } from "../../src/lib/ids.ts";
import { openContext } from "../../src/mind.ts";
import { insertApproval } from "../../src/store/chat/approvals.ts";
import type { Place } from "../program.ts";

/** A stored approval, as the agent's question for `command` would be. Returns its id. */
export async function storeApproval(
  { home }: Place,
  command: string,
  over: Partial<Omit<Approval, "id">> = {},
): Promise<string> {
  const mind = await openContext({ home, env: {} });
  try {
    const at = mind.clock.now();
    const approval: Approval = {
      ...{ id: newId("ap", at), at, until: at + HOUR, session: null, agent: "oldhand", workspace: "/home/ada/shop" },
      ...{ action: `shell ${command}`, effect: "execute", summary: `run ${command}`, detail: command },
      ...{ reason: "It runs a program.", status: "waiting", reach: null },
      ...{ answeredAt: null, answeredBy: null, usedAt: null },
      ...over,
    };
    await insertApproval(mind.db, approval);
    return approval.id;
  } finally {
    await mind.close();
  }
}
