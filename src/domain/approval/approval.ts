import type { ToolEffect } from "./tool-effect.ts";

/** `revoked`: a yes that held for more than one call, until somebody took it back. */
export const approvalStatuses = ["waiting", "approved", "rejected", "expired", "revoked"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** How far a yes reaches: this call, equal actions of this session, or equal actions from now on. */
export const approvalReaches = ["once", "session", "always"] as const;
export type ApprovalReach = (typeof approvalReaches)[number];

/** A person's answer to one action of an agent, or the question that waits for it. */
export interface Approval {
  readonly id: string;
  readonly at: number;
  /** After this time it is expired, which counts as no. */
  readonly until: number;
  /** Null for work that belongs to no session. */
  readonly session: string | null;
  readonly agent: string;
  readonly workspace: string | null;
  /** What a yes for the session or for always covers, such as `shell git push` or `web_fetch example.org`. */
  readonly action: string;
  readonly effect: ToolEffect;
  /** One line for the person: what would be done. */
  readonly summary: string;
  /** All of it: the command, the diff, the request. Redacted. */
  readonly detail: string;
  /** Why a person must decide. */
  readonly reason: string;
  readonly status: ApprovalStatus;
  readonly reach: ApprovalReach | null;
  readonly answeredAt: number | null;
  readonly answeredBy: string | null;
  /** When the approved action began: a yes to one call is used once. */
  readonly usedAt: number | null;
}

/**
 * True if a yes to it can be for this call only, because an equal call asks again in any case. Its action begins with a mark, so
 * that no other action is equal to it.
 */
export function isOnceOnly({ action }: Pick<Approval, "action">): boolean {
  return action.startsWith(ONCE);
}

export function markOnceOnly(action: string): string {
  return `${ONCE}${action}`;
}

const ONCE = "once: ";

/** True if a yes to it lets commands run outside the sandbox. Such an action has a mark too: a yes to one in the sandbox is another. */
export function leavesSandbox({ action }: Pick<Approval, "action">): boolean {
  return action.startsWith(OUTSIDE);
}

export function markOutside(action: string): string {
  return `${OUTSIDE}${action}`;
}

const OUTSIDE = "outside: ";

/** `answeredBy` of a question whose turn was stopped. It is expired. */
export const BY_STOP = "stop";

/** The status at a time: a question that nobody answered in time is expired, also if no process has noted it yet. */
export function statusAt({ status, until }: Pick<Approval, "status" | "until">, now: number): ApprovalStatus {
  return status === "waiting" && until <= now ? "expired" : status;
}

/** True for a yes that covers later calls. */
export function isStanding({ status, reach }: Pick<Approval, "status" | "reach">): boolean {
  return status === "approved" && (reach === "session" || reach === "always");
}
