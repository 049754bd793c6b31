import { type Declared, isSetting, type Setting } from "./kinds.ts";

/** The JSON schema of the file, for editors; published as schemas/config.schema.json. */
export function schemaOf(declared: Declared): unknown {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "oldhand configuration",
    type: "object",
    additionalProperties: false,
    properties: { $schema: { type: "string" }, ...propertiesOf(declared) },
  };
}

/** Without secrets, which are never in the file. */
function propertiesOf(declared: Declared): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(declared).flatMap(([name, one]) => {
      if (!isSetting(one)) return [[name, objectOf(one)]];
      return one.kind === "secret" ? [] : [[name, { ...typeOf(one), description: one.summary }]];
    }),
  );
}

function objectOf(declared: Declared): Readonly<Record<string, unknown>> {
  return { type: "object", additionalProperties: false, properties: propertiesOf(declared) };
}

function typeOf(setting: Exclude<Setting, { kind: "secret" }>): Readonly<Record<string, unknown>> {
  switch (setting.kind) {
    case "number":
      return { type: "number", minimum: setting.min, maximum: setting.max, default: setting.default };
    case "flag":
      return { type: "boolean", default: setting.default };
    case "text":
      return {
        type: "string",
        ...(setting.pattern === undefined ? {} : { pattern: setting.pattern }),
        default: setting.default,
      };
    case "choice":
      return { enum: setting.choices, default: setting.default };
    case "list":
      return { type: "array", items: { type: "string" }, default: setting.default };
    case "table":
      return { type: "object", additionalProperties: objectOf(setting.fields) };
  }
}
