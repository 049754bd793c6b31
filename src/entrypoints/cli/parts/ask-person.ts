import { createInterface } from "node:readline/promises";
import type { ChatSession } from "../../../converse/turn/chat-session.ts";
import { type Approval, type ApprovalReach, isOnceOnly } from "../../../domain/approval/approval.ts";
import { explainCover, formatAnswerKeys } from "../../../domain/approval/describe-cover.ts";

/** Asks in the terminal whether an action may run, until one of the keys is typed. */
export async function askPerson(session: ChatSession, approval: Approval): Promise<void> {
  const { id, summary, detail, reason } = approval;
  const isOnce = isOnceOnly(approval);
  const covers = isOnce ? "" : `${explainCover(approval)}\n`;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    process.stderr.write(`\n${summary}\n${detail === "" ? "" : `${detail}\n`}${reason}\n${covers}`);
    for (;;) {
      const typed = (await lines.question(`${formatAnswerKeys(isOnce)} > `)).trim().toLowerCase();
      if (typed === "n" || typed === "no") return await session.answerApproval(id, false);
      const reach = reaches[typed];
      if (reach === "once" || (reach !== undefined && !isOnce)) return await session.answerApproval(id, true, reach);
    }
  } finally {
    lines.close();
  }
}

const reaches: Readonly<Record<string, ApprovalReach>> = {
  y: "once",
  yes: "once",
  s: "session",
  session: "session",
  a: "always",
  always: "always",
};
