import type { z } from "zod";
import type { Context } from "./context.ts";
import { OldhandError } from "./lib/errors.ts";

export type Surface = "cli" | "http" | "mcp";

/**
 * Something oldhand can do, declared once. The command line, the HTTP route, the MCP tool, the documentation
 * and the shell completion are all read off this.
 */
export interface Operation {
  /** As typed: `rules list`. The route is `/api/rules/list`, the MCP tool `rules_list` unless named. */
  readonly name: string;
  readonly summary: string;
  readonly kind: "read" | "write";
  /** For MCP's hints: loses something that cannot be brought back. */
  readonly destructive?: boolean;
  readonly surfaces: readonly Surface[];
  /** What must be open for it: settings can be changed also when the database is broken. */
  readonly needs: "mind" | "config";
  readonly mcpName?: string;
  readonly input: z.ZodObject;
  /** Which inputs are given without a flag, in order; the last may take many. */
  readonly positional: readonly string[];
  readonly output: z.ZodType;
  /** A document of its own in the documentation's examples: `oldhand rules list --json`. */
  readonly example: string;
  run(world: Context, input: unknown): Promise<unknown>;
  render(output: unknown): string;
  /** Where `--json` prints a line for each instead of one document; null where it does not. */
  lines(output: unknown): readonly unknown[] | null;
  /** True when the answer is no: exit 1. */
  isNegative(output: unknown): boolean;
}

interface Declaration<Input extends z.ZodObject, Output extends z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly kind: "read" | "write";
  readonly destructive?: boolean;
  readonly surfaces?: readonly Surface[];
  readonly needs?: "mind" | "config";
  readonly mcpName?: string;
  readonly input: Input;
  readonly positional?: readonly (keyof z.infer<Input> & string)[];
  readonly output: Output;
  readonly example?: string;
  run(world: Context, input: z.output<Input>): Promise<z.input<Output>>;
  render?(output: z.output<Output>): string;
  lines?(output: z.output<Output>): readonly unknown[] | null;
  isNegative?(output: z.output<Output>): boolean;
}

/** Checks the types where they are known, and forgets them where the table is walked. */
export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  declared: Declaration<Input, Output>,
): Operation {
  const { render, lines, isNegative } = declared;
  return {
    ...declared,
    surfaces: declared.surfaces ?? ["cli", "http"],
    needs: declared.needs ?? "mind",
    positional: declared.positional ?? [],
    example: declared.example ?? `oldhand ${declared.name}`,
    run: (world, input) => declared.run(world, input as z.output<Input>),
    render: (output) => (render ? render(output as z.output<Output>) : JSON.stringify(output, null, 2)),
    lines: (output) => lines?.(output as z.output<Output>) ?? null,
    isNegative: (output) => isNegative?.(output as z.output<Output>) ?? false,
  };
}

/** The same check for every way in; the first problem in plain words. */
export function checked(operation: Pick<Operation, "input">, raw: unknown, hint: string): unknown {
  const result = operation.input.safeParse(raw);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.path.join(".") ?? "";
  const missing =
    name !== "" && issue?.code === "invalid_type" && (raw as Record<string, unknown> | null)?.[name] === undefined;
  throw new OldhandError(
    "usage",
    missing ? `${name} is missing` : `${name || "the input"}: ${issue?.message ?? "is not right"}`,
    { hint },
  );
}
