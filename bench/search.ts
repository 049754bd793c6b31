import { existsSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { OldhandError } from "../src/lib/errors.ts";
import { openContext } from "../src/mind.ts";
import { operations } from "../src/operations.ts";
import { rounded } from "./floor.ts";
import { type Corpus, messagesFile, plainSearch, type Question, readLocomo, readLongMemEval } from "./search-data.ts";

/** What `plain` and `plainPorter` do anyone does; each of the others takes in the one before. */
const contenders = ["plain", "plainPorter", "words", "neighbours", "everything"] as const;
type Contender = (typeof contenders)[number];

/** Hits asked for with each question, so that enough sessions are among them. */
const ASKED = 50;
/** Points of hit@5 that everything must be above plain FTS5. */
const LEAD = 5;

/** The best places of what was sought, from 0; null where it was not among the hits. */
interface Row {
  readonly id: string;
  readonly kind: string;
  readonly query: string;
  readonly gold: readonly string[];
  readonly place: Readonly<Record<Contender, number | null>>;
  readonly sessionPlace: Readonly<Record<Contender, number | null>>;
  readonly allInTen: Readonly<Record<Contender, boolean>>;
}

type Figures = Readonly<Record<string, number>>;

export interface SearchReport {
  readonly embedder: string;
  readonly longMemEval?: Part;
  readonly locomo?: Part;
  readonly met: boolean;
}

interface Part {
  readonly questions: number;
  readonly messages: number;
  readonly figures: Readonly<Record<Contender, Figures>>;
  /** Everything against plain FTS5, in points. */
  readonly leadAtFive: number;
  readonly rows: readonly Row[];
}

export interface SearchOptions {
  readonly data: string | undefined;
  readonly say: (line: string) => void;
}

/** How well questions find what answers them: imported and asked as anyone would, beside plain FTS5 on the same texts. */
export async function benchSearch({ data, say }: SearchOptions): Promise<SearchReport> {
  const files = filesIn(data);
  const part = async (corpora: readonly Corpus[], figuresOf: (rows: readonly Row[], who: Contender) => Figures) => {
    const rows: Row[] = [];
    for (const corpus of corpora) rows.push(...(await askAll(corpus, say)));
    const figures = Object.fromEntries(contenders.map((who) => [who, figuresOf(rows, who)])) as Part["figures"];
    const messages = corpora.reduce((sum, corpus) => sum + corpus.messages.length, 0);
    const leadAtFive = rounded((figures.everything["hit5"] ?? 0) - (figures.plain["hit5"] ?? 0), 1);
    return { questions: rows.length, messages, figures, leadAtFive, rows };
  };
  const pool = files.longMemEval;
  const longMemEval = pool === undefined ? undefined : await part([readLongMemEval(pool)], sessionFigures);
  const locomo = files.locomo === undefined ? undefined : await part(readLocomo(files.locomo), turnFigures);
  const parts = [longMemEval, locomo].filter((one) => one !== undefined);
  return {
    embedder: embedderName,
    ...(longMemEval ? { longMemEval } : {}),
    ...(locomo ? { locomo } : {}),
    met: parts.every((one) => one.leadAtFive >= LEAD && isStaircase(one.figures)),
  };
}

let embedderName = "none";

/** No step may cost a point of anything. */
function isStaircase({ words, neighbours, everything }: Part["figures"]): boolean {
  const noWorse = (less: Figures, more: Figures) =>
    Object.entries(less).every(([name, share]) => (more[name] ?? 0) >= share);
  return noWorse(words, neighbours) && noWorse(neighbours, everything);
}

/** A folder with both files, or one file of either shape. */
function filesIn(data: string | undefined): { readonly longMemEval?: string; readonly locomo?: string } {
  const place = resolve(data ?? join("..", "shared", "data"));
  if (existsSync(place) && statSync(place).isFile())
    return /locomo/i.test(basename(place)) ? { locomo: place } : { longMemEval: place };
  const found = {
    longMemEval: join(place, "longmemeval_pool_dev.json.gz"),
    locomo: join(place, "locomo_dev.json.gz"),
  };
  if (!existsSync(found.longMemEval) || !existsSync(found.locomo))
    throw new OldhandError("input", `there are no longmemeval_pool_dev.json.gz and locomo_dev.json.gz in ${place}`, {
      hint: "say where they are with --data",
    });
  return found;
}

interface Found {
  readonly session: string;
  readonly seq: number;
}

async function askAll(corpus: Corpus, say: (line: string) => void): Promise<Row[]> {
  const file = messagesFile(corpus.messages);
  const mind = await openContext({ home: join(file.dir, "home"), env: {} });
  const plain = plainSearch(corpus.messages, "unicode61");
  const plainPorter = plainSearch(corpus.messages, "porter unicode61");
  const run = async (name: string, input: object): Promise<unknown> => {
    const operation = operations.find((one) => one.name === name && one.surfaces.includes("cli"));
    return operation?.run(mind, operation.input.parse(input));
  };
  try {
    say(`${corpus.name}: importing ${corpus.messages.length} messages`);
    await run("import", { path: [file.path], from: "messages" });
    say(`${corpus.name}: embedding them`);
    embedderName = String(((await run("embed", {})) as { model: string | null }).model);
    say(`${corpus.name}: asking ${corpus.questions.length} questions`);
    const ours = async (query: string, by: string) =>
      (await run("sessions search", { query, by, limit: ASKED })) as readonly Found[];
    const rows: Row[] = [];
    for (const question of corpus.questions) {
      rows.push(
        rowOf(question, {
          plain: plain.search(question.query, ASKED),
          plainPorter: plainPorter.search(question.query, ASKED),
          words: await ours(question.query, "words"),
          neighbours: await ours(question.query, "neighbours"),
          everything: await ours(question.query, "everything"),
        }),
      );
    }
    return rows;
  } finally {
    plain.close();
    plainPorter.close();
    await mind.close();
    file.remove();
  }
}

function rowOf(question: Question, found: Readonly<Record<Contender, readonly Found[]>>): Row {
  const gold = new Set(question.gold);
  const goldSessions = new Set(question.gold.map((one) => one.split("#")[0] ?? one));
  const each = <T>(of: (hits: readonly Found[]) => T) =>
    Object.fromEntries(contenders.map((who) => [who, of(found[who])])) as Record<Contender, T>;
  const sessionsOf = (hits: readonly Found[]) => [...new Set(hits.map((hit) => hit.session))];
  const placeOf = (at: number) => (at < 0 ? null : at);
  return {
    ...question,
    place: each((hits) => placeOf(hits.findIndex((hit) => gold.has(`${hit.session}#${hit.seq}`)))),
    sessionPlace: each((hits) => placeOf(sessionsOf(hits).findIndex((session) => goldSessions.has(session)))),
    allInTen: each((hits) => {
      const ten = new Set(sessionsOf(hits).slice(0, 10));
      return [...goldSessions].every((session) => ten.has(session));
    }),
  };
}

function sessionFigures(rows: readonly Row[], who: Contender): Figures {
  return {
    hit1: share(rows, (row) => within(row.sessionPlace[who], 1)),
    hit5: share(rows, (row) => within(row.sessionPlace[who], 5)),
    all10: share(rows, (row) => row.allInTen[who]),
  };
}

function turnFigures(rows: readonly Row[], who: Contender): Figures {
  const reciprocal = rows.reduce((sum, row) => sum + (row.place[who] === null ? 0 : 1 / (row.place[who] + 1)), 0);
  return {
    hit5: share(rows, (row) => within(row.place[who], 5)),
    hit10: share(rows, (row) => within(row.place[who], 10)),
    mrr: rounded((100 * reciprocal) / rows.length, 1),
    sessionHit1: share(rows, (row) => within(row.sessionPlace[who], 1)),
    sessionHit5: share(rows, (row) => within(row.sessionPlace[who], 5)),
  };
}

function within(place: number | null, places: number): boolean {
  return place !== null && place < places;
}

/** In points of a hundred. */
function share(rows: readonly Row[], fits: (row: Row) => boolean): number {
  return rounded((100 * rows.filter(fits).length) / rows.length, 1);
}
