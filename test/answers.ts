import { expect } from "vitest";
import type { Operation } from "../src/operation.ts";

/** The answer is what the operation declares, and nothing beside it: a field that nobody declared is a leak. */
export function expectDeclared(operation: Pick<Operation, "name" | "output">, answer: unknown): void {
  const document: unknown = JSON.parse(JSON.stringify(answer));
  const read = operation.output.safeParse(document);
  expect(read.error?.issues ?? [], operation.name).toEqual([]);
  // Reading leaves out what is not declared.
  expect(document, operation.name).toEqual(read.data);
}
