import type { OperationRoute } from "../api/api-result.ts";

/** The kind of thing an action acts on. */
export type ActedOn =
  | "rule"
  | "memory"
  | "ledger"
  | "identity"
  | "proposal"
  | "approval"
  | "message"
  | "change"
  | "session"
  | "job"
  | "goal"
  | "task"
  | "comment"
  | "mind";

/** An operation that changes something, as the server declares it. */
export type DeclaredAction = {
  readonly route: OperationRoute;
  readonly on: ActedOn;
  readonly label: string;
  readonly summary: string;
  readonly effect: "write" | "spends" | "destroys";
  /** The field of the response that holds the journal changes; null if the action cannot be undone in one step. */
  readonly undo: "change" | "changes" | null;
  /** True if the operation only previews its effect unless called with `write`. */
  readonly rehearses: boolean;
  /** The input that identifies the target; null if the action creates something new. */
  readonly subject: string | null;
  readonly inputs: readonly ActionInput[];
};

export type ActionInput = {
  readonly name: string;
  readonly says: string;
  readonly required: boolean;
  /** True if shown at once; other inputs are in a collapsed section. */
  readonly main: boolean;
  readonly kind: "line" | "text" | "number" | "flag" | "choice" | "list";
  readonly choices?: readonly string[];
  readonly least?: number | null;
  readonly most?: number | null;
};

/** A target of actions on the page. */
export type Subject = {
  readonly on: ActedOn;
  /** Null if there is no target yet: the action creates something new. */
  readonly id: string | number | null;
  /** The name shown in dialogs. */
  readonly title: string;
  /** The target's fields. They decide which actions apply, and prefill the forms. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Inputs that the page already knows; the form does not ask for them. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Existing values to suggest, by input name. */
  readonly known?: Readonly<Record<string, readonly string[]>>;
};

/** True if the action destroys something, costs money, or cannot be undone in one step. */
export function needsConfirmation({ effect, undo }: DeclaredAction): boolean {
  return effect !== "write" || undo === null;
}

/** True if the action needs inputs or a confirmation before it runs. Flags that may be left out are no reason to ask. */
export function needsDialog(action: DeclaredAction): boolean {
  return action.inputs.some(({ required, kind }) => required || kind !== "flag") || needsConfirmation(action);
}
