import { isNeeded, type Meaning } from "../domain/memory/meaning-fit.ts";
import type { Memory, Standpoint } from "../domain/memory/memory.ts";
import { MOST_SPOKEN, type PastPrompt, spokenWords, wordFits } from "../domain/memory/word-fit.ts";
import { blockOf } from "../domain/trust/instruction-like.ts";
import { wordsToSearch } from "../domain/text/fit.ts";
import type { Context } from "../context.ts";
import { type QueryEmbedder, questionEmbedder } from "../search/meaning.ts";
import { hasMemories, listMemories } from "../store/memories.ts";
import { memoriesGivenTo, pastPrompts, type StoredPrompt } from "../store/past-prompts.ts";
import type { memoryMeanings } from "./memory-meanings.ts";
import { findMemories, type FoundMemory } from "./memory-search.ts";

type FitContext = Pick<Context, "db" | "models" | "clock">;

interface Prompt {
  readonly text: string;
  readonly workspace: string | null;
  /** In which session it was said; null where it was said in none. */
  readonly session: string | null;
  readonly limit: number;
}

/**
 * The memories that a prompt needs, best first: those that it asks for by a rare word, or that it means. Nobody asked for
 * them, so what only may fit is left out.
 */
export async function fittingMemories(ctx: FitContext, prompt: Prompt): Promise<readonly Memory[]> {
  const { db } = ctx;
  if (!(await hasMemories(db))) return [];
  const embedder = await questionEmbedder(ctx);
  // Begun beside the search by words, since a host waits for both. A failure is met where the vector is used.
  embedder?.embed([senseOf(prompt.text)]).catch(() => []);
  const { found, candidates } = await candidatesFor(ctx, embedder, prompt);
  if (candidates.length === 0) return [];
  const { workspace, session } = prompt;
  const asked = await pastPrompts(db, workspace, { besides: session, characters: MOST_SPOKEN, most: MOST_PAST });
  const texts = candidates.map((memory) => ({ id: memory.id, text: [memory.text, ...memory.tags].join("\n") }));
  const fits = wordFits(prompt.text, texts, await withGiven(ctx, asked));
  const meaning = embedder === null ? new Map<string, Meaning>() : await meaningsOf(ctx, embedder, { found, asked });
  return candidates
    .map((memory) => ({ memory, words: fits.get(memory.id) ?? 0, meaning: meaning.get(memory.id) }))
    .filter(({ words, meaning: meant }) => (meant === undefined ? words >= 1 : isNeeded(words, meant)))
    .toSorted((a, b) => strength(b) - strength(a))
    .slice(0, prompt.limit)
    .map(({ memory }) => memory);
}

/** Loaded where there is a model: a command hook has none. */
async function meaningsOf(...asked: Parameters<typeof memoryMeanings>): ReturnType<typeof memoryMeanings> {
  return (await import("./memory-meanings.ts")).memoryMeanings(...asked);
}

function strength({ words, meaning }: { readonly words: number; readonly meaning: Meaning | undefined }): number {
  return words + Math.max(0, meaning?.out ?? 0);
}

/** All that are here where they are few; of many, the most important and those that a search finds. */
async function candidatesFor(
  { db, clock }: FitContext,
  embedder: QueryEmbedder | null,
  prompt: Prompt,
): Promise<{ readonly found: readonly FoundMemory[]; readonly candidates: readonly Memory[] }> {
  const here: Standpoint = prompt.workspace === null ? {} : { workspace: prompt.workspace };
  const listed = await listMemories(db, { status: "active", seenFrom: here, limit: MOST_LISTED });
  const all = await findMemories(
    { db, embedder },
    {
      query: wordsToSearch(prompt.text).join(" "),
      sense: senseOf(prompt.text),
      anyWord: true,
      here,
      limit: MOST_FOUND,
      now: clock.now(),
    },
  );
  const speaks = (memory: Memory) => blockOf(memory) === null;
  const found = all.filter(({ memory }) => speaks(memory));
  const known = new Set(found.map(({ memory }) => memory.id));
  const others = listed.filter((memory) => !known.has(memory.id) && speaks(memory));
  return { found, candidates: [...found.map(({ memory }) => memory), ...others] };
}

async function withGiven({ db }: FitContext, asked: readonly StoredPrompt[]): Promise<readonly PastPrompt[]> {
  const given = await memoriesGivenTo(db, [...new Set(asked.map((one) => one.session))]);
  const none = new Set<string>();
  return asked.map(({ session, text }) => ({ words: spokenWords(text), given: given.get(session) ?? none }));
}

/** A model reads no further. */
function senseOf(prompt: string): string {
  return prompt.slice(0, 1_000);
}

const MOST_LISTED = 200;
const MOST_FOUND = 100;
const MOST_PAST = 200;
