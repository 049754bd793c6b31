import { askedAnywhere } from "../domain/memory/asked-anywhere.ts";
import { needOf } from "../domain/memory/meaning-fit.ts";
import type { Memory, Standpoint } from "../domain/memory/memory.ts";
import { MOST_SPOKEN, type PastPrompt, spokenWords, wordFits } from "../domain/memory/word-fit.ts";
import { blockOf } from "../domain/trust/instruction-like.ts";
import { wordsToSearch } from "../domain/text/fit.ts";
import type { Context } from "../context.ts";
import { type QueryEmbedder, questionEmbedder } from "../search/meaning.ts";
import { hasMemories, listMemories } from "../store/memories.ts";
import { memoriesGivenTo, pastPrompts, type StoredPrompt } from "../store/past-prompts.ts";
import type { memoryMeanings } from "./memory-meanings.ts";
import { findMemories } from "./memory-search.ts";

type FitContext = Pick<Context, "db" | "models" | "clock">;

interface Prompt {
  readonly text: string;
  readonly workspace: string | null;
  /** In which session it was said; null where it was said in none. */
  readonly session: string | null;
  readonly limit: number;
}

interface Weighed {
  readonly memory: Memory;
  /** From 1 on it is shown. */
  readonly need: number;
}

/** The memories that a prompt needs, most needed first. Nobody asked for them, so what only may fit is left out. */
export async function fittingMemories(ctx: FitContext, prompt: Prompt): Promise<readonly Memory[]> {
  return (await weighedMemories(ctx, prompt))
    .filter(({ need }) => need >= 1)
    .toSorted((a, b) => b.need - a.need)
    .slice(0, prompt.limit)
    .map(({ memory }) => memory);
}

/** How much a prompt needs each memory that may be shown with it, by a rare word, by meaning or by both. */
export async function weighedMemories(ctx: FitContext, prompt: Omit<Prompt, "limit">): Promise<readonly Weighed[]> {
  const { db } = ctx;
  if (!(await hasMemories(db))) return [];
  const embedder = await questionEmbedder(ctx);
  // Begun beside the search by words, since a host waits for both. A failure is met where the vector is used.
  embedder?.embed([senseOf(prompt.text)]).catch(() => []);
  const candidates = await candidatesFor(ctx, embedder, prompt);
  if (candidates.length === 0) return [];
  const { workspace, session } = prompt;
  const asked = await pastPrompts(db, workspace, { besides: session, characters: MOST_SPOKEN, most: MOST_PAST });
  const texts = candidates.map((memory) => ({ id: memory.id, text: [...memory.tags, memory.text].join("\n") }));
  const fits = wordFits(prompt.text, texts, await withGiven(ctx, asked));
  const meanings =
    embedder === null
      ? null
      : await meaningsOf(ctx, embedder, { prompt: senseOf(prompt.text), memories: candidates, asked });
  const anywhere = askedAnywhere(prompt.text);
  return candidates.map((memory) => ({
    memory,
    need: needOf({
      words: fits.get(memory.id) ?? 0,
      out: meanings?.out.get(memory.id) ?? null,
      here: meanings?.here ?? null,
      anywhere,
      ofAnywhere: anywhere && askedAnywhere(memory.text),
      past: asked.length,
    }),
  }));
}

/** Loaded where there is a model: a command hook has none. */
async function meaningsOf(...asked: Parameters<typeof memoryMeanings>): ReturnType<typeof memoryMeanings> {
  return (await import("./memory-meanings.ts")).memoryMeanings(...asked);
}

/** All that are here where they are few; of many, the most important and those that a search finds. */
async function candidatesFor(
  { db, clock }: FitContext,
  embedder: QueryEmbedder | null,
  prompt: Pick<Prompt, "text" | "workspace">,
): Promise<readonly Memory[]> {
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
  const found = all.map(({ memory }) => memory).filter(speaks);
  const known = new Set(found.map(({ id }) => id));
  return [...found, ...listed.filter((memory) => !known.has(memory.id) && speaks(memory))];
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
