import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openContext } from "../src/mind.ts";
import { operations } from "../src/operations.ts";
import type { GatheredEvents } from "../src/search/rank-events.ts";
import { openQueryEmbedder } from "../src/search/semantic-scores.ts";
import { gatherEvents } from "../src/search/search-events.ts";
import { listLocationsAround } from "../src/store/events/searchable-events.ts";
import { type Corpus, writeMessagesFile, openPlainSearch, type CorpusQuestion } from "./search-data.ts";

/** Hits per question: enough to contain several sessions. */
const MAX_HITS = 50;

/** The gathered candidates of one question, for each search step. */
export interface GatheredByDepth {
  readonly words: GatheredEvents;
  readonly neighbours: GatheredEvents;
  readonly everything: GatheredEvents;
}

/** The position of a message. */
export interface MessageRef {
  readonly session: string;
  readonly seq: number;
}

export interface QueriedQuestion extends CorpusQuestion {
  readonly plain: readonly MessageRef[];
  readonly porter: readonly MessageRef[];
  readonly gathered: GatheredByDepth;
  /** The messages of the gathered events, by event id. */
  readonly messages: ReadonlyMap<number, MessageRef>;
}

export interface QueriedCorpus {
  readonly embedder: string;
  readonly questions: readonly QueriedQuestion[];
}

/**
 * Imports a corpus like a user would and gathers the candidates for each question. With `minds`, the mind is kept there
 * for the next run.
 */
export async function queryCorpus(
  corpus: Corpus,
  { minds, say }: { readonly minds: string | undefined; readonly say: (line: string) => void },
): Promise<QueriedCorpus> {
  const file = writeMessagesFile(corpus.messages);
  const home = join(minds ?? file.dir, `mind-${corpus.name}`);
  const complete = join(home, "complete");
  mkdirSync(home, { recursive: true });
  const mind = await openContext({ home, env: {} });
  const run = async (name: string, input: object): Promise<unknown> => {
    const operation = operations.find((one) => one.name === name && one.surfaces.includes("cli"));
    return operation?.run(mind, operation.input.parse(input));
  };
  const plain = openPlainSearch(corpus.messages, "unicode61");
  const porter = openPlainSearch(corpus.messages, "porter unicode61");
  try {
    if (!existsSync(complete)) {
      say(`${corpus.name}: importing and embedding ${corpus.messages.length} messages`);
      await run("import", { path: [file.path], from: "messages" });
      await run("embed", {});
      writeFileSync(complete, "");
    }
    const embedder = await openQueryEmbedder(mind);
    const ctx = { db: mind.db, embedder };
    say(`${corpus.name}: asking ${corpus.questions.length} questions`);
    const questions: QueriedQuestion[] = [];
    for (const question of corpus.questions) {
      const gather = (by: "words" | "neighbours" | "everything") =>
        gatherEvents(ctx, { query: question.query, limit: MAX_HITS, by });
      const gathered = {
        words: await gather("words"),
        neighbours: await gather("neighbours"),
        everything: await gather("everything"),
      };
      const ids = [...new Set(Object.values(gathered).flatMap(({ runs }) => runs.flat().map((line) => line.id)))];
      questions.push({
        ...question,
        plain: plain.search(question.query, MAX_HITS),
        porter: porter.search(question.query, MAX_HITS),
        gathered,
        messages: new Map((await listLocationsAround(mind.db, ids, 0)).map((place) => [place.id, place])),
      });
    }
    return { embedder: embedder?.model ?? "none", questions };
  } finally {
    plain.close();
    porter.close();
    await mind.close();
    file.remove();
  }
}
