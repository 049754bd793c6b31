// The operations that change something, as data from which the dashboard builds its buttons and forms.
import { z } from "zod";
import type { Operation } from "../src/operation.ts";

/** Every operation over HTTP that may change something. */
export function actionsText(operations: readonly Operation[], head: string): string {
  const actions = operations
    .filter(({ surfaces, effect }) => surfaces.includes("http") && effect !== "read" && effect !== "touches")
    .map(actionOf);
  return [
    head,
    'import type { DeclaredAction } from "./action.ts";',
    "",
    "export const declaredActions: readonly DeclaredAction[] = [",
    ...actions.map((action) => `  ${JSON.stringify(action)},`),
    "];",
    "",
  ].join("\n");
}

/** Inputs left out of forms, because they only choose between rehearsal and execution. */
const rehearsals = ["write", "dry-run", "dryRun"];

function actionOf(operation: Operation) {
  const shape = Object.entries(operation.input.shape as Readonly<Record<string, z.core.$ZodType>>);
  const subject = subjectOf(operation);
  const inputs = shape
    .filter(([name]) => name !== subject && !rehearsals.includes(name))
    .map(([name, schema]) => inputOf(operation, name, schema));
  const few = inputs.length <= FEW;
  return {
    route: operation.name.replaceAll(" ", "/"),
    on: operation.on,
    label: operation.label,
    summary: operation.summary,
    effect: operation.effect,
    undo: undoOf(operation),
    /** True if the operation only previews its effect unless called with `write`. */
    rehearses: shape.some(([name]) => name === "write"),
    subject,
    inputs: inputs.map(({ main, ...input }) => ({ ...input, main: few || main })),
  };
}

/** Up to this many inputs are all shown; of more, the less common ones are in a collapsed section. */
const FEW = 4;

/** The input that identifies the target. */
function subjectOf({ name, positional, on, input }: Operation): string | null {
  if ("id" in input.shape) return "id";
  // A job is known by its name, which is also the first input of the operation that makes one.
  if (on === "job" && name !== "job add" && positional[0] === "name") return "name";
  if (["session", "goal", "task"].includes(on) && positional[0] === on) return on;
  return on === "identity" && "file" in input.shape ? "file" : null;
}

/** The field of the output that holds the journal changes; without one, the operation cannot be undone. */
function undoOf({ output }: Operation): "change" | "changes" | null {
  const fields = output instanceof z.ZodObject ? Object.keys(output.shape) : [];
  return fields.includes("changes") ? "changes" : fields.includes("change") ? "change" : null;
}

function inputOf(operation: Operation, name: string, schema: z.core.$ZodType) {
  const { positional, expects, shownFirst, agentsGive, agentsExpect } = operation;
  const { _zod: kind } = schema;
  const isRequired = kind.optin === undefined;
  return {
    name,
    says: z.globalRegistry.get(schema)?.description ?? "",
    required: isRequired || expects.includes(name),
    main:
      isRequired ||
      name === "text" ||
      [...positional, ...expects, ...shownFirst, ...agentsGive, ...agentsExpect].includes(name),
    ...kindOf(name, bare(schema)),
  };
}

/** Removes the `optional`, `default` and `nullable` wrappers. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const { _zod: kind } = schema as z.core.$ZodTypes;
  const { def } = kind;
  return def.type === "optional" || def.type === "default" || def.type === "nullable" ? bare(def.innerType) : schema;
}

function kindOf(name: string, schema: z.core.$ZodType): Readonly<Record<string, unknown>> {
  const { _zod: kind } = schema as z.core.$ZodTypes;
  const { def } = kind;
  const bag = kind.bag as { readonly minimum?: number; readonly maximum?: number };
  switch (def.type) {
    case "boolean":
      return { kind: "flag" };
    case "enum":
      return { kind: "choice", choices: Object.values(def.entries) };
    case "number":
      return { kind: "number", least: bag.minimum ?? null, most: bag.maximum ?? null };
    case "array":
      return { kind: "list" };
    case "string":
      return { kind: ["text", "prompt", "description"].includes(name) ? "text" : "line" };
    case "union":
      return { kind: "line" };
    // Anything that JSON can hold, so also a text.
    case "unknown":
      return { kind: "text" };
    default:
      throw new Error(`no form is known for an input of kind ${def.type}`);
  }
}
