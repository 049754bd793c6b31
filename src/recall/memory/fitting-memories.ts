import { isGenericRequest } from "../../domain/memory/generic-request.ts";
import { scoreNeed } from "../../domain/memory/meaning-fit.ts";
import type { Memory, Viewer } from "../../domain/memory/memory.ts";
import {
  MAX_PROMPT_CHARACTERS,
  type PastPrompt,
  extractPromptWords,
  scoreWordFits,
} from "../../domain/memory/word-fit.ts";
import { findBlockReason } from "../../domain/trust/instruction-like.ts";
import { listQueryTerms } from "../../domain/text/prompt-fit.ts";
import type { Context } from "../../context.ts";
import { type QueryEmbedder, openQueryEmbedder } from "../../search/semantic-scores.ts";
import { hasMemories, listMemories } from "../../store/nouns/memories.ts";
import { listMemoriesShownTo, listPastPrompts, type StoredPrompt } from "../../store/events/past-prompts.ts";
import type { computeMemoryMeanings } from "./memory-meanings.ts";
import { findMemories } from "./memory-search.ts";

type FitContext = Pick<Context, "db" | "models" | "clock">;

interface PromptInput {
  readonly text: string;
  readonly workspace: string | null;
  /** The session of the prompt; null if it is in none. */
  readonly session: string | null;
  readonly limit: number;
}

interface WeighedMemory {
  readonly memory: Memory;
  /** Shown if 1 or more. */
  readonly need: number;
}

/** The memories that a prompt needs, most needed first. They were not requested, so doubtful ones are left out. */
export async function findFittingMemories(ctx: FitContext, prompt: PromptInput): Promise<readonly Memory[]> {
  return (await weighMemories(ctx, prompt))
    .filter(({ need }) => need >= 1)
    .toSorted((a, b) => b.need - a.need)
    .slice(0, prompt.limit)
    .map(({ memory }) => memory);
}

/** How much a prompt needs each showable memory, by a rare word, by meaning, or both. */
export async function weighMemories(
  ctx: FitContext,
  prompt: Omit<PromptInput, "limit">,
): Promise<readonly WeighedMemory[]> {
  const { db } = ctx;
  if (!(await hasMemories(db))) return [];
  const embedder = await openQueryEmbedder(ctx);
  // Started in parallel with the word search, because a host waits for both. An error surfaces where the
  // vector is used.
  embedder?.embed([cutForModel(prompt.text)]).catch(() => []);
  const candidates = await listCandidates(ctx, embedder, prompt);
  if (candidates.length === 0) return [];
  const { workspace, session } = prompt;
  const earlierPrompts = await listPastPrompts(db, workspace, {
    besides: session,
    characters: MAX_PROMPT_CHARACTERS,
    most: MOST_PAST,
  });
  const texts = candidates.map((memory) => ({ id: memory.id, text: [...memory.tags, memory.text].join("\n") }));
  const fits = scoreWordFits(prompt.text, texts, await addGivenMemories(ctx, earlierPrompts));
  const meanings =
    embedder === null
      ? null
      : await loadMeanings(ctx, embedder, {
          prompt: cutForModel(prompt.text),
          memories: candidates,
          earlierPrompts,
        });
  const anywhere = isGenericRequest(prompt.text);
  return candidates.map((memory) => ({
    memory,
    need: scoreNeed({
      words: fits.get(memory.id) ?? 0,
      out: meanings?.out.get(memory.id) ?? null,
      here: meanings?.here ?? null,
      anywhere,
      ofAnywhere: anywhere && isGenericRequest(memory.text),
      past: earlierPrompts.length,
    }),
  }));
}

/** Loaded only if there is a model; a command hook has none. */
async function loadMeanings(
  ...given: Parameters<typeof computeMemoryMeanings>
): ReturnType<typeof computeMemoryMeanings> {
  return (await import("./memory-meanings.ts")).computeMemoryMeanings(...given);
}

/** All memories here if they are few; else the most important ones and search hits. */
async function listCandidates(
  { db, clock }: FitContext,
  embedder: QueryEmbedder | null,
  prompt: Pick<PromptInput, "text" | "workspace">,
): Promise<readonly Memory[]> {
  const viewer: Viewer = prompt.workspace === null ? {} : { workspace: prompt.workspace };
  const listed = await listMemories(db, { status: "active", viewer, limit: MOST_LISTED });
  const all = await findMemories(
    { db, embedder },
    {
      query: listQueryTerms(prompt.text).join(" "),
      sense: cutForModel(prompt.text),
      anyWord: true,
      viewer,
      limit: MOST_FOUND,
      now: clock.now(),
    },
  );
  const speaks = (memory: Memory) => findBlockReason(memory) === null;
  const found = all.map(({ memory }) => memory).filter(speaks);
  const known = new Set(found.map(({ id }) => id));
  return [...found, ...listed.filter((memory) => !known.has(memory.id) && speaks(memory))];
}

async function addGivenMemories(
  { db }: FitContext,
  earlierPrompts: readonly StoredPrompt[],
): Promise<readonly PastPrompt[]> {
  const given = await listMemoriesShownTo(db, [...new Set(earlierPrompts.map((one) => one.session))]);
  const none = new Set<string>();
  return earlierPrompts.map(({ session, text }) => ({
    words: extractPromptWords(text),
    given: given.get(session) ?? none,
  }));
}

/** Models read no further. */
function cutForModel(prompt: string): string {
  return prompt.slice(0, 1_000);
}

const MOST_LISTED = 200;
const MOST_FOUND = 100;
const MOST_PAST = 200;
