import { expect } from "vitest";
import type { Operation } from "../src/operation.ts";

/** Expects the result to match the declared output and nothing else: an undeclared field would be a leak. */
export function expectDeclared(operation: Pick<Operation, "name" | "output">, answer: unknown): void {
  const document: unknown = JSON.parse(JSON.stringify(answer));
  const read = operation.output.safeParse(document);
  expect(read.error?.issues ?? [], operation.name).toEqual([]);
  // Parsing removes undeclared fields.
  expect(document, operation.name).toEqual(read.data);
}
