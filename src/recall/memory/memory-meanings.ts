import { scoreLocality } from "../../domain/memory/locality.ts";
import { computeDeviations } from "../../domain/memory/meaning-fit.ts";
import type { Memory } from "../../domain/memory/memory.ts";
import type { Context } from "../../context.ts";
import type { QueryEmbedder } from "../../search/semantic-scores.ts";
import { computeCosine, getVectors } from "../../store/derived/stored-vectors.ts";
import type { StoredPrompt } from "../../store/events/past-prompts.ts";

interface ComparisonInput {
  readonly prompt: string;
  readonly memories: readonly Memory[];
  readonly earlierPrompts: readonly StoredPrompt[];
}

export interface Meanings {
  /** For each memory with a vector: how much nearer this prompt is to it than earlier prompts were. */
  readonly out: ReadonlyMap<string, number>;
  /** How much the prompt asks for project-specific knowledge; null if the model cannot tell. */
  readonly here: number | null;
}

export async function computeMemoryMeanings(
  { db }: Pick<Context, "db">,
  { model, embed }: QueryEmbedder,
  { prompt, memories, earlierPrompts }: ComparisonInput,
): Promise<Meanings> {
  const [vector] = await embed([prompt]);
  if (vector === undefined) return { out: new Map(), here: null };
  const most = Math.min(MOST_COMPARED, Math.floor(MOST_PAIRS / Math.max(1, memories.length)));
  const ids = earlierPrompts.slice(0, most).map((one) => String(one.id));
  const prompts = [...(await getVectors(db, { noun: "event", model }, ids)).values()];
  const own = await getVectors(
    db,
    { noun: "memory", model },
    memories.map(({ id }) => id),
  );
  const out = new Map(
    [...own].map(([id, memory]): [string, number] => {
      const toPast = prompts.map((past) => computeCosine(memory, past));
      return [id, computeDeviations(computeCosine(memory, vector), toPast)];
    }),
  );
  return { out, here: scoreLocality(model, vector) };
}

/** Past prompts that a memory is compared with; `search/embed-recent.ts` computes their vectors. */
const MOST_COMPARED = 60;
/** A host waits, so with many memories each is compared with fewer prompts. */
const MOST_PAIRS = 6_000;
