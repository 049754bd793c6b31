import type { z } from "zod";
import type { Context } from "./context.ts";
import { OldhandError } from "./lib/errors.ts";
import type { StreamEvent } from "./stream-event.ts";

export type Surface = "cli" | "http" | "mcp";

/** What an operation that changes something acts on: where a page shows one of these, it offers the operation there. */
export const actedOn = ["rule", "memory", "ledger", "identity", "proposal", "change", "session", "mind"] as const;
export type ActedOn = (typeof actedOn)[number];

/**
 * The most an operation may do:
 * - `read`: the operation itself changes nothing. Opening a mind does: events that wait in the spool are stored then,
 *   whichever operation comes next.
 * - `touches`: answers a question, and writes only bookkeeping: what is derived from events, what the owner wrote into
 *   the files of the home, what was shown and used.
 * - `write`: changes something that can be changed back.
 * - `spends`: costs money or a model's time.
 * - `destroys`: loses something that cannot be brought back.
 */
export const operationEffects = ["read", "touches", "write", "spends", "destroys"] as const;
export type Effect = (typeof operationEffects)[number];

/**
 * What must be brought up to date before an operation runs:
 * - `events`: outcomes, sessions, corrections, recoveries and words of the events that were stored since.
 * - `markers`: memories that agents marked in their answers.
 * - `owner-edits`: what the owner wrote into MEMORY.md and USER.md.
 * - `identity-edits`: what the owner wrote into SHIELD.md, SOUL.md and HARNESS.md.
 * - `vectors`: the meaning of memories that have no vector yet, so that what was just remembered is found by meaning too.
 *   For a bounded time; an embedder that cannot be reached is no reason not to answer.
 */
export type Preparation = "events" | "markers" | "owner-edits" | "identity-edits" | "vectors";

/**
 * Something oldhand can do, declared once. The command line, the HTTP route, the MCP tool, the documentation
 * and the shell completion are all read off this.
 */
export interface Operation {
  /** As typed: `rules list`. The route is `/api/rules/list`, the MCP tool `rules_list` unless named. */
  readonly name: string;
  readonly summary: string;
  readonly effect: Effect;
  readonly prepare: readonly Preparation[];
  readonly surfaces: readonly Surface[];
  /** What must be open for it: settings can be changed also when the database is broken. */
  readonly needs: "mind" | "config";
  readonly mcpName?: string;
  readonly on: ActedOn;
  /** What a button for it says. */
  readonly label: string;
  readonly input: z.ZodObject;
  /** Which inputs are given without a flag, in order; the last may take many. */
  readonly positional: readonly string[];
  /** The last of them is a text: all words that are left belong to it, so that it needs no quotes. */
  readonly freeText: boolean;
  /** Inputs that a person must give though the schema lets them be left out: their absence is answered with more than an error. */
  readonly expects: readonly string[];
  /** Inputs that an agent must give, though a person may leave them out. */
  readonly agentsGive: readonly string[];
  /** The same, but where only these are missing, the operation answers with more than an error. */
  readonly agentsExpect: readonly string[];
  /** It shows what is of the input `workspace`: an agent gets that of its own, and is refused any other. */
  readonly byWorkspace: boolean;
  readonly output: z.ZodType;
  /** A document of its own in the documentation's examples: `oldhand rules list --json`. */
  readonly example: string;
  run(ctx: Context, input: unknown): Promise<unknown>;
  /**
   * What the items of its stream are: `lines` that are shown as they come, or parts of a `text` that is in the result as a
   * whole, so that whoever shows the result need not show them.
   */
  readonly pieces: "lines" | "text";
  /** Yields pieces of the answer as they come, until it is stopped. */
  readonly stream: ((ctx: Context, input: unknown) => AsyncIterable<StreamEvent>) | null;
  /** The input tells an empty answer to a narrow question from an empty store. */
  render(output: unknown, input?: unknown): string;
  /** One piece of a stream, in a line. */
  renderItem(item: unknown): string;
  /** Where `--json` prints a line for each instead of one document; null where it does not. */
  lines(output: unknown): readonly unknown[] | null;
  /** True when the answer is no: exit 1. */
  isNegative(output: unknown): boolean;
  /** True where it is the owner's to decide: no agent may run it. Of some operations that depends on what is asked. */
  isOwnersAlone(input: unknown): boolean;
}

/** With its types, where they are known. */
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
  readonly surfaces?: readonly Surface[];
  readonly needs?: "mind" | "config";
  readonly mcpName?: string;
  /** Where the first word of its name does not say it. */
  readonly on?: ActedOn;
  /** Where the last word of its name is too short for a button. */
  readonly label?: string;
  readonly input: Input;
  readonly positional?: readonly (keyof z.infer<Input> & string)[];
  readonly freeText?: boolean;
  readonly expects?: readonly (keyof z.infer<Input> & string)[];
  readonly agentsGive?: readonly (keyof z.infer<Input> & string)[];
  readonly agentsExpect?: readonly (keyof z.infer<Input> & string)[];
  readonly byWorkspace?: "workspace" extends keyof z.infer<Input> ? true : never;
  readonly output: Output;
  readonly example?: string;
  run(ctx: Context, input: z.output<Input>): Promise<z.input<Output>>;
  readonly pieces?: "lines" | "text";
  stream?(ctx: Context, input: z.output<Input>): AsyncIterable<StreamEvent<z.input<Output>>>;
  render?(output: z.output<Output>, input?: z.output<Input>): string;
  renderItem?(item: unknown): string;
  lines?(output: z.output<Output>): readonly unknown[] | null;
  isNegative?(output: z.output<Output>): boolean;
  /** What destroys is the owner's alone also without it. */
  isOwnersAlone?(input: z.output<Input>): boolean;
}

/** Checks the types where they are known, and forgets them where the table is walked. */
export function defineOperation<const Name extends string, Input extends z.ZodObject, Output extends z.ZodType>(
  declared: Declaration<Name, Input, Output>,
): TypedOperation<Name, Input, Output> {
  const { stream, render, renderItem, lines, isNegative, isOwnersAlone } = declared;
  return {
    ...declared,
    prepare: declared.prepare ?? [],
    surfaces: declared.surfaces ?? ["cli", "http"],
    needs: declared.needs ?? "mind",
    on: declared.on ?? nounsByWord[declared.name.split(" ", 1)[0] ?? ""] ?? "mind",
    label: declared.label ?? capitalised(declared.name.split(" ").at(-1) ?? declared.name),
    positional: declared.positional ?? [],
    freeText: declared.freeText ?? false,
    expects: declared.expects ?? [],
    agentsGive: declared.agentsGive ?? [],
    agentsExpect: declared.agentsExpect ?? [],
    byWorkspace: declared.byWorkspace ?? false,
    example: declared.example ?? `oldhand ${declared.name}`,
    pieces: declared.pieces ?? "lines",
    run: (ctx, input) => declared.run(ctx, input as z.output<Input>),
    stream: stream ? (ctx, input) => stream(ctx, input as z.output<Input>) : null,
    render: (output, input) =>
      render
        ? render(output as z.output<Output>, input as z.output<Input> | undefined)
        : JSON.stringify(output, null, 2),
    renderItem: renderItem ?? ((item) => JSON.stringify(item)),
    lines: (output) => lines?.(output as z.output<Output>) ?? null,
    isNegative: (output) => isNegative?.(output as z.output<Output>) ?? false,
    isOwnersAlone: (input) => isOwnersAlone?.(input as z.output<Input>) ?? declared.effect === "destroys",
  };
}

const nounsByWord: Readonly<Record<string, ActedOn>> = {
  rules: "rule",
  memories: "memory",
  ledger: "ledger",
  soul: "identity",
  working: "session",
};

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** What is the owner's to decide, no agent runs, whichever way it comes in. */
export function refuseAgent(
  actor: Context["actor"],
  operation: Pick<Operation, "isOwnersAlone">,
  input: CheckedInput,
  hint = "nothing was changed",
): void {
  if (actor.kind !== "agent" || !operation.isOwnersAlone(input)) return;
  throw new OldhandError("refused", `only the owner may run this command, not ${actor.name}`, { hint });
}

/** What an agent has to say and did not is named at once, as the way in spells it. */
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

/** What `checked` gave: no other input is run. */
export type CheckedInput = Readonly<Record<string, unknown>> & { readonly [isChecked]: true };
declare const isChecked: unique symbol;

/**
 * Where help is found, how a way in spells an input's name (`--should-have` for `shouldHave`), and which of the values there
 * are was probably meant by one that is none.
 */
export type InputHelp =
  | string
  | {
      readonly hint: string;
      spell(name: string): string;
      meant(typed: string, values: readonly string[]): string | null;
    };

/** The same check for every way in: all that is missing, else the first problem, in plain words. */
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
  const isNoNumber = issue?.code === "invalid_type" && issue.expected === "number";
  const problem = isNoNumber ? ` must be a number, not "${typed}"` : `: ${issue?.message ?? "is not valid"}`;
  throw new OldhandError("usage", `${what}${problem}`, { hint });
}

function listed(names: readonly string[], joined = "and"): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${joined} ${names.at(-1) ?? ""}`;
}
