import type { OperationRoute } from "../api/api-result.ts";

/** What an action acts on. */
export type ActedOn = "rule" | "memory" | "ledger" | "identity" | "proposal" | "change" | "session" | "mind";

/** An operation that changes something, as the server declares it. */
export type DeclaredAction = {
  readonly route: OperationRoute;
  readonly on: ActedOn;
  readonly label: string;
  readonly summary: string;
  readonly effect: "write" | "spends" | "destroys";
  /** The field of the answer that names the changes it made in the journal; null where it cannot be undone in one step. */
  readonly undo: "change" | "changes" | null;
  /** Shows what it would do, and does it only with `write`. */
  readonly rehearses: boolean;
  /** The input that names what it acts on; null where it makes something new. */
  readonly subject: string | null;
  readonly inputs: readonly ActionInput[];
};

export type ActionInput = {
  readonly name: string;
  readonly says: string;
  readonly required: boolean;
  /** Shown at once; the others wait behind a line. */
  readonly main: boolean;
  readonly kind: "line" | "text" | "number" | "flag" | "choice" | "list";
  readonly choices?: readonly string[];
  readonly least?: number | null;
  readonly most?: number | null;
};

/** Something on the page that actions act on. */
export type Subject = {
  readonly on: ActedOn;
  /** Null: nothing in particular; for what makes something new. */
  readonly id: string | number | null;
  /** How it is called in a dialog. */
  readonly title: string;
  /** Its fields: they decide what can be done, and fill the forms. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Inputs that the page knows, so that nobody is asked for them. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** What there is already, for inputs in which it may be named again. */
  readonly known?: Readonly<Record<string, readonly string[]>>;
};

/** Loses something, costs something, or has no single way back: it is asked once more. */
export function needsConfirmation({ effect, undo }: DeclaredAction): boolean {
  return effect !== "write" || undo === null;
}

/** Whether anything has to be said before it can run. */
export function needsDialog(action: DeclaredAction): boolean {
  return action.inputs.length > 0 || needsConfirmation(action);
}
