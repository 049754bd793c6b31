import { signal } from "@preact/signals";
import type { ApiProblem, ApiResult, OperationRoute } from "../api/api-result.ts";
import { callOperation } from "../api/call.ts";
import { refreshAll } from "../api/live.ts";
import type { DeclaredAction, Subject } from "./action.ts";
import { needsDialog } from "./action.ts";
import { describeDone } from "./describe-done.ts";

export type Values = Readonly<Record<string, unknown>>;

/** An action that waits for inputs or a confirmation. */
export type PendingAction = {
  readonly action: DeclaredAction;
  readonly subject: Subject;
  readonly onDone?: (result: Values) => void;
  readonly onUndone?: () => void;
  /** Why it was refused without its flags. */
  readonly problem?: ApiProblem;
};

export type Notice = {
  readonly text: string;
  readonly problem: ApiProblem | null;
  /** Journal change ids, in the order in which to undo them. */
  readonly changes: readonly number[];
  readonly onUndone?: () => void;
};

export const pendingAction = signal<PendingAction | null>(null);
export const notice = signal<Notice | null>(null);
export const isBusy = signal(false);

/**
 * Runs the action at once if it needs no inputs and no confirmation; otherwise opens the dialog. If it is refused and
 * has flags, the dialog names the reason and offers them.
 */
export async function startAction(pending: PendingAction): Promise<void> {
  if (isBusy.value) return;
  if (needsDialog(pending.action)) pendingAction.value = pending;
  else {
    const problem = await finishAction(pending, {});
    if (problem === null) return;
    if (pending.action.inputs.length > 0) pendingAction.value = { ...pending, problem };
    else notice.value = { text: problem.message, problem, changes: [] };
  }
}

/** Runs the action without a dialog, with inputs that the pressed button stands for. */
export async function answerAtOnce(pending: PendingAction, values: Values, isQuiet = false): Promise<void> {
  if (isBusy.value) return;
  const problem = await finishAction(pending, values);
  if (problem === null) {
    if (isQuiet) notice.value = null;
    return;
  }
  notice.value = { text: problem.message, problem, changes: [] };
  // It may have been answered elsewhere.
  refreshAll();
}

/** Returns null on success, else the problem. */
export async function finishAction(pending: PendingAction, values: Values): Promise<ApiProblem | null> {
  const { action, subject, onDone, onUndone } = pending;
  const result = await call(action, {
    ...makeInput(action, subject, values),
    ...(action.rehearses ? { write: true } : {}),
  });
  if (result.kind === "failed") return result.problem;
  pendingAction.value = null;
  const changes = listUndoableChanges(action, result.value);
  notice.value = {
    text: describeDone(action, subject, result.value, changes.length > 0),
    problem: null,
    changes,
    ...(onUndone === undefined ? {} : { onUndone }),
  };
  onDone?.(result.value);
  refreshAll();
  return null;
}

/** Calls the operation without `write`: returns what it would change. */
export function rehearse(action: DeclaredAction, subject: Subject): Promise<ApiResult<Values>> {
  return call(action, makeInput(action, subject, {}));
}

/** Undoes the changes of the current notice. */
export async function undoLast(): Promise<void> {
  const last = notice.value;
  if (last === null || last.changes.length === 0 || isBusy.value) return;
  for (const id of last.changes) {
    const result = await callUndo(id);
    if (result.kind === "failed") {
      notice.value = { text: result.problem.message, problem: result.problem, changes: [] };
      return refreshAll();
    }
  }
  notice.value = { text: "Taken back.", problem: null, changes: [] };
  last.onUndone?.();
  refreshAll();
}

/** Of what the subject gives, only what this action takes: the server refuses any other field. */
export function makeInput({ subject, inputs }: DeclaredAction, { id, given = {} }: Subject, values: Values): Values {
  const taken = Object.entries(given).filter(([name]) => inputs.some((one) => one.name === name));
  return { ...Object.fromEntries(taken), ...values, ...(subject === null || id === null ? {} : { [subject]: id }) };
}

async function call({ route }: DeclaredAction, input: Values): Promise<ApiResult<Values>> {
  isBusy.value = true;
  // The casts are safe: routes and forms are generated from the same table, and the server validates the input.
  const result = await callOperation(route as OperationRoute, input as never);
  isBusy.value = false;
  return result as ApiResult<Values>;
}

async function callUndo(id: number): Promise<ApiResult<unknown>> {
  isBusy.value = true;
  const result = await callOperation("undo", { id });
  isBusy.value = false;
  return result;
}

/** The response holds either the changes or only their ids. */
export function listUndoableChanges({ undo }: DeclaredAction, result: Values): readonly number[] {
  const listed = undo === null ? [] : result[undo];
  return (Array.isArray(listed) ? listed : [listed]).flatMap((one: unknown) => {
    const id = typeof one === "object" && one !== null ? (one as { id?: unknown }).id : one;
    return typeof id === "number" ? [id] : [];
  });
}
