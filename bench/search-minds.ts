import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openContext } from "../src/mind.ts";
import { operations } from "../src/operations.ts";
import type { Gathered } from "../src/search/rank-events.ts";
import { questionEmbedder } from "../src/search/meaning.ts";
import { gatherEvents } from "../src/search/search-events.ts";
import { placesAround } from "../src/store/event-places.ts";
import { type Corpus, messagesFile, plainSearch, type Question } from "./search-data.ts";

/** Hits asked for with each question, so that enough sessions are among them. */
const ASKED = 50;

/** What our own ways go by, for one question. */
export interface Gatherings {
  readonly words: Gathered;
  readonly neighbours: Gathered;
  readonly everything: Gathered;
}

/** Where something was said. */
export interface Said {
  readonly session: string;
  readonly seq: number;
}

export interface AskedQuestion extends Question {
  readonly plain: readonly Said[];
  readonly porter: readonly Said[];
  readonly gathered: Gatherings;
  /** Where the gathered lines are from. */
  readonly said: ReadonlyMap<number, Said>;
}

export interface AskedCorpus {
  readonly embedder: string;
  readonly questions: readonly AskedQuestion[];
}

/** Imports a corpus as anyone would, and gathers for each question what there is to rank. With `minds`, the mind is kept there for the next run. */
export async function askCorpus(
  corpus: Corpus,
  { minds, say }: { readonly minds: string | undefined; readonly say: (line: string) => void },
): Promise<AskedCorpus> {
  const file = messagesFile(corpus.messages);
  const home = join(minds ?? file.dir, `mind-${corpus.name}`);
  const complete = join(home, "complete");
  mkdirSync(home, { recursive: true });
  const mind = await openContext({ home, env: {} });
  const run = async (name: string, input: object): Promise<unknown> => {
    const operation = operations.find((one) => one.name === name && one.surfaces.includes("cli"));
    return operation?.run(mind, operation.input.parse(input));
  };
  const plain = plainSearch(corpus.messages, "unicode61");
  const porter = plainSearch(corpus.messages, "porter unicode61");
  try {
    if (!existsSync(complete)) {
      say(`${corpus.name}: importing and embedding ${corpus.messages.length} messages`);
      await run("import", { path: [file.path], from: "messages" });
      await run("embed", {});
      writeFileSync(complete, "");
    }
    const embedder = await questionEmbedder(mind);
    const ctx = { db: mind.db, embedder };
    say(`${corpus.name}: asking ${corpus.questions.length} questions`);
    const questions: AskedQuestion[] = [];
    for (const question of corpus.questions) {
      const gather = (by: "words" | "neighbours" | "everything") =>
        gatherEvents(ctx, { query: question.query, limit: ASKED, by });
      const gathered = {
        words: await gather("words"),
        neighbours: await gather("neighbours"),
        everything: await gather("everything"),
      };
      const ids = [...new Set(Object.values(gathered).flatMap(({ runs }) => runs.flat().map((line) => line.id)))];
      questions.push({
        ...question,
        plain: plain.search(question.query, ASKED),
        porter: porter.search(question.query, ASKED),
        gathered,
        said: new Map((await placesAround(mind.db, ids, 0)).map((place) => [place.id, place])),
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
