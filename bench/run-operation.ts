import type { OpenMind } from "../src/mind.ts";
import { operations } from "../src/operations.ts";

/** Runs an operation of the command line by name. */
export async function runOperation(mind: OpenMind, name: string, input: object): Promise<unknown> {
  const operation = operations.find((one) => one.name === name && one.surfaces.includes("cli"));
  return operation?.run(mind, operation.input.parse(input));
}
