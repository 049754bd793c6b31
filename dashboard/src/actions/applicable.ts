import type { OperationRoute } from "../api/api-result.ts";
import type { DeclaredAction, Subject } from "./action.ts";
import { declaredActions } from "./declared.ts";

type State = Subject["state"];

/** Hides actions that would change nothing. A route without a condition always applies; the server checks again. */
const conditions: Partial<Record<OperationRoute, (state: State) => boolean>> = {
  "rules/approve": ({ status }) => status !== "approved" && status !== "merged",
  "rules/reject": ({ status }) => isOneOf(status, "candidate", "approved", "muted", "dormant"),
  "rules/retire": ({ status }) => isOneOf(status, "approved", "muted", "dormant"),
  "rules/mute": ({ status }) => isOneOf(status, "candidate", "approved", "dormant"),
  "rules/pin": ({ pinned }) => pinned === false,
  "rules/unpin": ({ pinned }) => pinned === true,
  "rules/merge": ({ status }) => status !== "merged",
  override: ({ level, status }) => isOneOf(level, "ask", "deny") && status === "approved",
  "memories/confirm": ({ status }) => status === "active",
  "memories/contradict": ({ status }) => status === "active",
  "memories/archive": ({ status }) => status === "active",
  "memories/pin": ({ pinned, status }) => pinned === false && status === "active",
  "memories/unpin": ({ pinned }) => pinned === true,
  "memories/vouch": ({ blocked }) => typeof blocked === "string",
  "soul/accept": ({ status }) => status === "open",
  "soul/reject": ({ status }) => status === "open",
  "approvals/approve": ({ status }) => status === "waiting",
  "approvals/reject": ({ status }) => status === "waiting",
  "approvals/revoke": ({ isStanding }) => isStanding === true,
  "message/reply": ({ kind, isReplied }) => kind === "query" && isReplied === false,
  "job/enable": ({ enabled }) => enabled === false,
  "job/disable": ({ enabled }) => enabled === true,
  "job/reset": ({ breaker }) => isOneOf(breaker, "open", "half-open"),
  "goal/approve": ({ status }) => status === "proposed",
  "goal/pause": ({ status }) => isOneOf(status, "active", "blocked"),
  "goal/resume": ({ status }) => isOneOf(status, "paused", "blocked", "done", "dropped"),
  "goal/finish": ({ status }) => isOneOf(status, "active", "paused", "blocked"),
  "goal/drop": ({ status }) => isOneOf(status, "proposed", "active", "paused", "blocked"),
  "task/add": ({ status }) => !isOneOf(status, "done", "dropped"),
  "task/done": ({ status }) => isOneOf(status, "pending", "in-progress", "blocked"),
  "task/verify": ({ status, proof, asksPerson }) => status !== "dropped" && proof !== "verified" && asksPerson !== true,
  "task/drop": ({ status }) => isOneOf(status, "pending", "in-progress", "blocked"),
  "task/retry": ({ status, proof }) => isOneOf(status, "blocked", "dropped") || proof === "claimed",
  "comment/answer": ({ isOpen }) => isOpen === true,
  pause: ({ isPaused }) => isPaused !== true,
  resume: ({ isPaused }) => isPaused === true,
  undo: ({ undoneBy, scrubbed }) => undoneBy === null && scrubbed !== true,
};

/** The actions that apply to the subject in its current state; without an id, the actions that create one. */
export function listActions({ on, id, state }: Subject): readonly DeclaredAction[] {
  return declaredActions.filter(
    (action) =>
      action.on === on && (action.subject !== null) === (id !== null) && (conditions[action.route]?.(state) ?? true),
  );
}

export function findAction(route: OperationRoute): DeclaredAction {
  const found = declaredActions.find((action) => action.route === route);
  if (found === undefined) throw new Error(`there is no action ${route}`);
  return found;
}

function isOneOf(value: unknown, ...some: readonly string[]): boolean {
  return typeof value === "string" && some.includes(value);
}
