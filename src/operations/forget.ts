import { z } from "zod";
import type { Context } from "../context.ts";
import { operation, type Operation } from "../operation.ts";
import { by, forget } from "../store/journal.ts";
import { nouns } from "../store/nouns.ts";
import { afterForgetting, forgottenShape, forgottenText } from "./forgotten.ts";
import { forgetMemory } from "./memories.ts";

const forgetAny = operation({
  name: "forget",
  summary:
    "Removes a memory, a rule or another entry of the mind with the words of its past, for good. Cannot be undone.",
  kind: "write",
  destructive: true,
  surfaces: ["cli"],
  input: z.object({ id: z.string().min(1).describe("the id of a memory or a rule, or a memory's key") }),
  positional: ["id"],
  output: forgottenShape,
  run: async (world, input) => afterForgetting(world, await forgetOne(world, input.id)),
  render: forgottenText,
});

export const forgetOperations: readonly Operation[] = [forgetAny];

/** By its id whatever it is, or a memory by its key. */
async function forgetOne(world: Context, id: string): Promise<string> {
  for (const noun of nouns) {
    if (noun.name === "memory" || noun.name === "identity" || (await noun.read(world.db, id)) === null) continue;
    await forget(world.db, { noun, id }, by(world, "forget"));
    return id;
  }
  return forgetMemory(world, id);
}
