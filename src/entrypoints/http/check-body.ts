import type { z } from "zod";
import { isRecord } from "../../lib/json.ts";
import { OldhandError } from "../../lib/errors.ts";
import { findNearestName } from "../../lib/nearest.ts";
import { checkInput, type CheckedInput } from "../../operation.ts";

/** The body of a request as the input of an operation. A field that it does not have is an error: a misspelt one would do nothing. */
export function checkBody(operation: { readonly input: z.ZodObject }, body: unknown, where: string): CheckedInput {
  const known = Object.keys(operation.input.shape);
  const unknown = isRecord(body) ? Object.keys(body).find((name) => !known.includes(name)) : undefined;
  if (unknown === undefined) return checkInput(operation, body, where);
  const near = findNearestName(unknown, known);
  const fields = known.length === 0 ? "it has no fields" : `its fields: ${known.join(", ")}`;
  throw new OldhandError("input", `the body has an unknown field "${unknown}"`, {
    hint: `${near === null ? "" : `did you mean ${near}? `}${where}; ${fields}`,
  });
}
