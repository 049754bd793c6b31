import type { z } from "zod";
import type { Context } from "./context.ts";
import { OldhandError } from "./lib/errors.ts";
import { capitalised } from "./lib/text.ts";
import type { StreamEvent } from "./stream-event.ts";

export type Surface = "cli" | "http" | "mcp";

/** What a changing operation acts on. A page that shows one of these offers the operation there. */
export const actedOn = [
  "rule",
  "memory",
  "ledger",
  "identity",
  "proposal",
  "approval",
  "message",
  "change",
  "session",
  "job",
  "goal",
  "task",
  "comment",
  "mind",
] as const;
export type ActedOn = (typeof actedOn)[number];

/**
 * The strongest effect an operation may have:
 * - `read`: the operation itself changes nothing. (Opening a mind may: it stores the events in the spool.)
 * - `touches`: answers a question and writes only bookkeeping: data derived from events, the owner's edits of files
 *   in the home, what was shown and used.
 * - `write`: makes a change that can be undone.
 * - `spends`: costs money or a model's time.
 * - `destroys`: loses something that cannot be restored.
 */
export const operationEffects = ["read", "touches", "write", "spends", "destroys"] as const;
export type Effect = (typeof operationEffects)[number];

/**
 * What must be updated before an operation runs:
 * - `events`: outcomes, sessions, corrections, recoveries and words of newly stored events.
 * - `markers`: memories that agents marked in their answers.
 * - `owner-edits`: what the owner wrote into MEMORY.md and USER.md.
 * - `identity-edits`: what the owner wrote into SHIELD.md, SOUL.md and HARNESS.md.
 * - `vectors`: vectors of memories that have none yet, so that a new memory is found by meaning too. Takes a limited
 *   time; if the embedder cannot be reached, the operation still runs.
 */
export type Preparation = "events" | "markers" | "owner-edits" | "identity-edits" | "vectors";

/**
 * Something oldhand can do, declared once. The command line, the HTTP route, the MCP tool, the documentation and the
 * shell completion are all generated from it.
 */
export interface Operation {
  /** As typed: `rules list`. The route is `/api/rules/list`, the MCP tool `rules_list` unless `mcpName` is set. */
  readonly name: string;
  readonly summary: string;
  readonly effect: Effect;
  readonly prepare: readonly Preparation[];
  /** What it needs only for some inputs: `run` and `stream` ask for it. */
  readonly prepareMore: readonly Preparation[];
  readonly surfaces: readonly Surface[];
  /** What must be open for it: settings can be changed even if the database is broken. */
  readonly needs: "mind" | "config";
  readonly mcpName?: string;
  readonly on: ActedOn;
  /** The text of its button. */
  readonly label: string;
  readonly input: z.ZodObject;
  /** The inputs that are given without a flag, in order; the last may take many words. */
  readonly positional: readonly string[];
  /** True if the last of them is a text that takes all remaining words, so that it needs no quotes. */
  readonly freeText: boolean;
  /** The input that a shell may also take from a file (`--NAME-file`) or from stdin (`-`); null: none. */
  readonly fromFile: string | null;
  /**
   * Inputs that a person must give although the schema makes them optional: if they are missing, the operation
   * answers with more than an error, or finds them elsewhere.
   */
  readonly expects: readonly string[];
  /** Inputs that an agent must give, though they are optional for a person. */
  /** Inputs that may be left out, but that a form shows first. */
  readonly shownFirst: readonly string[];
  readonly agentsGive: readonly string[];
  /** The same, but if only these are missing, the operation answers with more than an error. */
  readonly agentsExpect: readonly string[];
  /** True if it shows data of the input `workspace`. An agent gets its own workspace, and is refused any other. */
  readonly byWorkspace: boolean;
  readonly output: z.ZodType;
  /** An example command for the documentation: `oldhand rules list`. */
  readonly example: string;
  /** What it answers if the store cannot be reached; null: the error is all there is. */
  readonly withoutStore: ((ctx: Pick<Context, "config" | "clock">, error: OldhandError) => Promise<unknown>) | null;
  /** `prepareMore` brings up to date what the operation declares there. */
  run(ctx: Context, input: unknown, prepareMore?: () => Promise<void>): Promise<unknown>;
  /**
   * The items of its stream: `lines`, shown as they come, or parts of a `text` that the result contains as a whole, so a
   * caller that shows the result need not show them.
   */
  readonly pieces: "lines" | "text";
  /** Yields items of the result as they come, until it is stopped. */
  readonly stream:
    | ((ctx: Context, input: unknown, prepareMore?: () => Promise<void>) => AsyncIterable<StreamEvent>)
    | null;
  /** The input distinguishes an empty result of a filter from an empty store. */
  render(output: unknown, input?: unknown): string;
  /** One item of a stream: a line, or a part of the text. */
  renderItem(item: unknown): string;
  /** What follows a text whose parts were shown as they came. */
  renderEnd(output: unknown): string;
  /** The items for which `--json` prints one line each; null if it prints one document. */
  lines(output: unknown): readonly unknown[] | null;
  /** What a person should know besides the result. A command prints it to stderr. */
  notes(output: unknown): readonly string[];
  /** True if the result is negative; the command then exits with 1. */
  isNegative(output: unknown): boolean;
  /** True if only the owner may run it. For some operations that depends on the input. */
  isOwnerOnly(input: unknown): boolean;
}

/** An operation that is not loaded yet: what is needed to find and list it, and its file's operations. */
export interface IndexedOperation extends Pick<Operation, "name" | "summary"> {
  load(): Promise<readonly Operation[]>;
}

/** An operation with its types. */
export interface TypedOperation<
  Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
> extends Operation {
  readonly name: Name;
  readonly input: Input;
  readonly output: Output;
}

interface Declaration<Name extends string, Input extends z.ZodObject, Output extends z.ZodType> {
  readonly name: Name;
  readonly summary: string;
  readonly effect: Effect;
  readonly prepare?: readonly Preparation[];
  readonly prepareMore?: readonly Preparation[];
  readonly surfaces?: readonly Surface[];
  readonly needs?: "mind" | "config";
  readonly mcpName?: string;
  /** Needed if the first word of its name does not say it. */
  readonly on?: ActedOn;
  /** Needed if the last word of its name is too short for a button. */
  readonly label?: string;
  readonly input: Input;
  readonly positional?: readonly (keyof z.infer<Input> & string)[];
  readonly freeText?: boolean;
  readonly fromFile?: keyof z.infer<Input> & string;
  readonly expects?: readonly (keyof z.infer<Input> & string)[];
  readonly shownFirst?: readonly (keyof z.infer<Input> & string)[];
  readonly agentsGive?: readonly (keyof z.infer<Input> & string)[];
  readonly agentsExpect?: readonly (keyof z.infer<Input> & string)[];
  readonly byWorkspace?: "workspace" extends keyof z.infer<Input> ? true : never;
  readonly output: Output;
  readonly example?: string;
  run(ctx: Context, input: z.output<Input>, prepareMore: () => Promise<void>): Promise<z.input<Output>>;
  withoutStore?(ctx: Pick<Context, "config" | "clock">, error: OldhandError): Promise<z.input<Output>>;
  readonly pieces?: "lines" | "text";
  stream?(
    ctx: Context,
    input: z.output<Input>,
    prepareMore: () => Promise<void>,
  ): AsyncIterable<StreamEvent<z.input<Output>>>;
  render?(output: z.output<Output>, input?: z.output<Input>): string;
  renderItem?(item: unknown): string;
  /** Needed if the pieces are parts of a text. */
  renderEnd?(output: z.output<Output>): string;
  lines?(output: z.output<Output>): readonly unknown[] | null;
  notes?(output: z.output<Output>): readonly string[];
  isNegative?(output: z.output<Output>): boolean;
  /** Default: true if the effect is `destroys`. */
  isOwnerOnly?(input: z.output<Input>): boolean;
}

const prepareNothing = async () => {};

/** Checks the types of a declaration; the table of operations does not keep them. */
export function defineOperation<const Name extends string, Input extends z.ZodObject, Output extends z.ZodType>(
  declared: Declaration<Name, Input, Output>,
): TypedOperation<Name, Input, Output> {
  const { stream, withoutStore, render, renderItem, renderEnd, lines, notes, isNegative, isOwnerOnly } = declared;
  return {
    ...declared,
    prepare: declared.prepare ?? [],
    prepareMore: declared.prepareMore ?? [],
    surfaces: declared.surfaces ?? ["cli", "http"],
    needs: declared.needs ?? "mind",
    on: declared.on ?? nounsByWord[declared.name.split(" ", 1)[0] ?? ""] ?? "mind",
    label: declared.label ?? capitalised(declared.name.split(" ").at(-1) ?? declared.name),
    positional: declared.positional ?? [],
    freeText: declared.freeText ?? false,
    fromFile: declared.fromFile ?? null,
    expects: declared.expects ?? [],
    shownFirst: declared.shownFirst ?? [],
    agentsGive: declared.agentsGive ?? [],
    agentsExpect: declared.agentsExpect ?? [],
    byWorkspace: declared.byWorkspace ?? false,
    example: declared.example ?? `oldhand ${declared.name}`,
    pieces: declared.pieces ?? "lines",
    run: (ctx, input, prepareMore = prepareNothing) => declared.run(ctx, input as z.output<Input>, prepareMore),
    withoutStore: withoutStore ?? null,
    stream: stream
      ? (ctx, input, prepareMore = prepareNothing) => stream(ctx, input as z.output<Input>, prepareMore)
      : null,
    render: (output, input) =>
      render
        ? render(output as z.output<Output>, input as z.output<Input> | undefined)
        : JSON.stringify(output, null, 2),
    renderItem: renderItem ?? ((item) => JSON.stringify(item)),
    renderEnd: (output) => renderEnd?.(output as z.output<Output>) ?? "",
    lines: (output) => lines?.(output as z.output<Output>) ?? null,
    notes: (output) => notes?.(output as z.output<Output>) ?? [],
    isNegative: (output) => isNegative?.(output as z.output<Output>) ?? false,
    isOwnerOnly: (input) => isOwnerOnly?.(input as z.output<Input>) ?? declared.effect === "destroys",
  };
}

const nounsByWord: Readonly<Record<string, ActedOn>> = {
  rules: "rule",
  memories: "memory",
  ledger: "ledger",
  soul: "identity",
  working: "session",
  approvals: "approval",
  message: "message",
  job: "job",
  goal: "goal",
  task: "task",
  comment: "comment",
};

/** Throws if an agent runs an owner-only operation, on whichever surface. */
export function refuseAgent(
  actor: Context["actor"],
  operation: Pick<Operation, "isOwnerOnly">,
  input: CheckedInput,
  hint = "nothing was changed",
): void {
  if (actor.kind !== "agent" || !operation.isOwnerOnly(input)) return;
  throw new OldhandError("refused", `only the owner may run this command, not ${actor.name}`, { hint });
}

/** Throws if an agent did not give a required input; names all missing ones in the surface's spelling. */
export function requireOfAgent(
  actor: Context["actor"],
  operation: Pick<Operation, "agentsGive" | "agentsExpect">,
  input: CheckedInput,
  { spell = (name: string) => name, hint = "nothing was written" } = {},
): void {
  if (actor.kind !== "agent") return;
  const isMissing = (name: string) => input[name] === undefined;
  const missing = [...operation.agentsGive, ...operation.agentsExpect].filter(isMissing).map(spell);
  if (operation.agentsGive.some(isMissing))
    throw new OldhandError("usage", `${listed(missing)} ${missing.length === 1 ? "is" : "are"} missing`, { hint });
}

/** Input validated by `checkInput`; only this can be run. */
export type CheckedInput = Readonly<Record<string, unknown>> & { readonly [isChecked]: true };
declare const isChecked: unique symbol;

/**
 * Where to find help, how the surface spells an input's name (`--should-have` for `shouldHave`), and which value was
 * probably meant by an unknown one.
 */
export type InputHelp =
  | string
  | {
      readonly hint: string;
      spell(name: string): string;
      meant(typed: string, values: readonly string[]): string | null;
    };

/** Validates input in the same way for every surface. The error lists all missing inputs, or else the first problem. */
export function checkInput(
  operation: Pick<Operation, "input"> & Partial<Pick<Operation, "expects">>,
  raw: unknown,
  help: InputHelp,
): CheckedInput {
  const result = operation.input.safeParse(raw);
  if (result.success) return result.data as CheckedInput;
  const { hint, spell, meant } =
    typeof help === "string" ? { hint: help, spell: (name: string) => name, meant: () => null } : help;
  const given = (raw ?? {}) as Readonly<Record<string, unknown>>;
  const { issues } = result.error;
  const isMissing = (name: string) => name !== "" && given[name] === undefined;
  const required = issues.filter((one) => one.code === "invalid_type").map((one) => one.path.join("."));
  const missing = required.filter(isMissing);
  if (missing.length > 0) {
    const all = [...missing, ...(operation.expects ?? []).filter(isMissing)].map(spell);
    throw new OldhandError("usage", `${listed(all)} ${all.length === 1 ? "is" : "are"} missing`, { hint });
  }
  const [issue] = issues;
  const name = issue?.path.filter((part) => typeof part !== "number").join(".") ?? "";
  const what = name === "" ? "the input" : spell(name);
  const typed = String(issue?.path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown>)[part], raw));
  if (issue?.code === "invalid_value") {
    const values = issue.values.map(String);
    const near = meant(typed, values);
    throw new OldhandError("usage", `${what} cannot be "${typed}"; use ${listed(values, "or")}`, {
      hint: near === null ? hint : `did you mean ${near}? ${hint}`,
    });
  }
  throw new OldhandError("usage", `${what}${issue === undefined ? " is not valid" : explainIssue(issue, typed)}`, {
    hint,
  });
}

/** The end of a sentence that begins with the input's name. */
function explainIssue(issue: z.core.$ZodIssue, typed: string): string {
  if (issue.code === "invalid_type" && issue.expected === "number") return ` must be a number, not "${typed}"`;
  if (issue.code === "invalid_type" && issue.expected === "int") return ` must be a whole number, not "${typed}"`;
  if (issue.code === "unrecognized_keys") return ` has an unknown member: ${issue.keys.join(", ")}`;
  if (issue.code === "too_small" || issue.code === "too_big") {
    const isLow = issue.code === "too_small";
    const bound = String(isLow ? issue.minimum : issue.maximum);
    const side = isLow ? "at least" : "at most";
    if (issue.origin === "string" && isLow && bound === "1") return " is empty";
    const unit = { string: " characters", array: " entries" }[issue.origin as string];
    return unit === undefined ? ` must be ${side} ${bound}` : ` must have ${side} ${bound}${unit}`;
  }
  return /^(?:is|may|must) /.test(issue.message) ? ` ${issue.message}` : `: ${issue.message}`;
}

function listed(names: readonly string[], joined = "and"): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${joined} ${names.at(-1) ?? ""}`;
}
