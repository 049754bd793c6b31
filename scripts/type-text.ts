// Prints the types of operations as plain TypeScript from their schemas, so that users need no zod.
import { z } from "zod";
import type { Operation } from "../src/operation.ts";

/** The side of a schema: accepted input, or returned output. */
type Side = "input" | "output";

/** One type for each named shape, and one for all operations. If two operations share a name, the first is used. */
export function operationTypes(
  operations: readonly Operation[],
  head: string,
  keyOf: (name: string) => string,
): string {
  const shapes = new Map<string, string>();
  const print = (schema: z.core.$ZodType, side: Side, indent: string) => printed(schema, { side, indent, shapes });
  const first = [...new Map(operations.toReversed().map((one) => [one.name, one])).values()].toReversed();
  const entries = first.map((one) =>
    [
      `  /** ${one.summary} */`,
      `  ${JSON.stringify(keyOf(one.name))}: {`,
      `    input: ${print(one.input, "input", "    ")};`,
      `    output: ${print(one.output, "output", "    ")};`,
      "  };",
    ].join("\n"),
  );
  const named = [...shapes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `export type ${name} = ${text};\n`);
  return `${head}\n\n${named.join("\n")}\nexport type Operations = {\n${entries.join("\n")}\n};\n`;
}

interface Place {
  readonly side: Side;
  readonly indent: string;
  readonly shapes: Map<string, string>;
}

/** The name of a named shape, whose text is collected in `shapes`; otherwise the text itself. */
function printed(schema: z.core.$ZodType, place: Place): string {
  const name = z.globalRegistry.get(schema)?.id;
  if (name === undefined) return text(schema, place);
  if (!place.shapes.has(name)) {
    place.shapes.set(name, "");
    place.shapes.set(name, text(schema, { ...place, indent: "" }));
  }
  return name;
}

function text(schema: z.core.$ZodType, place: Place): string {
  const { _zod: kind } = schema as z.core.$ZodTypes;
  const { def } = kind;
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
    case "unknown":
      return def.type;
    case "enum":
      return union(Object.values(def.entries).map((value) => JSON.stringify(value)));
    case "literal":
      return union(def.values.map((value) => JSON.stringify(value)));
    case "union":
      return union(def.options.map((one) => printed(one, place)));
    case "nullable":
      return union([printed(def.innerType, place), "null"]);
    case "optional":
      return union([printed(def.innerType, place), "undefined"]);
    case "default":
      return place.side === "input"
        ? union([printed(def.innerType, place), "undefined"])
        : printed(def.innerType, place);
    case "array":
      return `${grouped(printed(def.element, place))}[]`;
    case "tuple":
      return `[${def.items.map((one) => printed(one, place)).join(", ")}]`;
    case "record":
      return `Record<${printed(def.keyType, place)}, ${printed(def.valueType, place)}>`;
    case "object":
      return members(def.shape, place);
    default:
      throw new Error(`no type is known for a schema of kind ${def.type}`);
  }
}

function members(shape: Readonly<Record<string, z.core.$ZodType>>, place: Place): string {
  const inner = `${place.indent}  `;
  const lines = Object.entries(shape).flatMap(([name, schema]) => {
    const says = z.globalRegistry.get(schema)?.description;
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
    const mark = mayBeLeftOut(schema, place.side) ? "?" : "";
    return [
      ...(says === undefined ? [] : [`${inner}/** ${says} */`]),
      `${inner}${key}${mark}: ${printed(schema, { ...place, indent: inner })};`,
    ];
  });
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("\n")}\n${place.indent}}`;
}

function mayBeLeftOut(schema: z.core.$ZodType, side: Side): boolean {
  const { _zod: kind } = schema;
  return (side === "input" ? kind.optin : kind.optout) !== undefined;
}

function union(parts: readonly string[]): string {
  return [...new Set(parts)].join(" | ");
}

function grouped(type: string): string {
  return / \| /.test(type) && !type.startsWith("{") ? `(${type})` : type;
}
