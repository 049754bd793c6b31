import { type Meaning, standsOut } from "../domain/memory/meaning-fit.ts";
import type { Context } from "../context.ts";
import type { QueryEmbedder } from "../search/meaning.ts";
import { cosineOf, vectorsOf } from "../store/kept-vectors.ts";
import type { StoredPrompt } from "../store/past-prompts.ts";
import type { FoundMemory } from "./memory-search.ts";

/** How near this prompt is to each that has a vector, and how far it stands out from what was asked before. */
export async function memoryMeanings(
  { db }: Pick<Context, "db">,
  { model }: QueryEmbedder,
  { found, asked }: { readonly found: readonly FoundMemory[]; readonly asked: readonly StoredPrompt[] },
): Promise<ReadonlyMap<string, Meaning>> {
  const near = found.flatMap(({ memory, meaning }) => (meaning === null ? [] : [{ id: memory.id, meaning }]));
  if (near.length === 0) return new Map();
  const ids = asked.slice(0, MOST_COMPARED).map((one) => String(one.id));
  const prompts = [...(await vectorsOf(db, { noun: "event", model }, ids)).values()];
  const memories = await vectorsOf(
    db,
    { noun: "memory", model },
    near.map(({ id }) => id),
  );
  return new Map(
    near.flatMap(({ id, meaning }): [string, Meaning][] => {
      const own = memories.get(id);
      if (own === undefined) return [];
      const toPast = prompts.map((prompt) => cosineOf(own, prompt));
      return [[id, { near: meaning, out: standsOut(meaning, toPast) }]];
    }),
  );
}

/** As many past prompts as a memory is compared with; `search/embed-recent.ts` gives them their vectors. */
const MOST_COMPARED = 60;
