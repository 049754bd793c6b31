import type { ApprovalParts } from "../../../src/converse/turn/chat-parts.ts";

/** Whatever the mode, everything may run. */
export const allowAll: ApprovalParts = {
  decideCall: async () => ({ kind: "run", approval: null }),
  awaitApproval: async () => Promise.reject(new Error("nobody was asked")),
  answerApproval: async () => Promise.reject(new Error("nobody was asked")),
};
