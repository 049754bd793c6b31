import { existsSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { OldhandError } from "../src/lib/errors.ts";
import { type PairedDifference, computePairedDifference } from "./paired.ts";
import { roundTo } from "./floor.ts";
import { type Corpus, type CorpusQuestion, readLocomo, readLongMemEval } from "./search-data.ts";
import { queryCorpus, type QueriedQuestion, type MessageRef } from "./search-minds.ts";
import { formatSearchReport } from "./search-text.ts";
import {
  makeChooser,
  rankGathered,
  type FreeWeights,
  shippedWeights,
  type SearchStep,
  searchSteps,
} from "./search-weights.ts";

/** `plain` and `porter` are standard FTS5; each of the others includes the one before. */
const contenders = ["plain", "porter", ...searchSteps] as const;
type Contender = (typeof contenders)[number];

/** The number of folds of LongMemEval's questions. */
const PARTS = 10;

/** What counts as found. */
export type Unit = "turn" | "session";

/** The best position of a right answer, from 0; null if not among the hits. */
type Places = Readonly<Record<Unit, number | null>>;

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly query: string;
  readonly gold: readonly string[];
  readonly fold: string;
  /** Ours with weights chosen without its fold. */
  readonly places: Readonly<Record<Contender, Places>>;
  /** Ours with the shipped weights, which were chosen on this question too. */
  readonly shipped: Places;
}

/** What each step adds to the one before; the first is FTS5's own stemming. */
export interface StepDifference {
  readonly step: string;
  readonly hit1: PairedDifference;
  readonly hit5: PairedDifference;
}

export interface SetFigures {
  readonly name: string;
  readonly unit: Unit;
  readonly questions: number;
  readonly hits: Readonly<Record<Contender | "shipped", { readonly hit1: number; readonly hit5: number }>>;
  /** All steps compared with FTS5 with porter stemming. */
  readonly lead: { readonly hit1: PairedDifference; readonly hit5: PairedDifference };
  readonly steps: readonly StepDifference[];
}

export interface SearchReport {
  readonly embedder: string;
  /** The weights that each fold was evaluated with. */
  readonly folds: readonly { readonly fold: string; readonly questions: number; readonly weights: FreeWeights }[];
  /** The weights chosen on all questions, and the shipped ones. */
  readonly chosen: FreeWeights;
  readonly shipped: FreeWeights;
  readonly sets: readonly SetFigures[];
  readonly pooled: SetFigures;
  readonly met: boolean;
  readonly rows: readonly Row[];
  readonly text: string;
}

export interface SearchOptions {
  readonly data: string | undefined;
  /** A folder that keeps the minds for the next run. */
  readonly minds?: string | undefined;
  readonly say: (line: string) => void;
}

interface JudgedQuestion extends QueriedQuestion {
  readonly set: string;
  readonly fold: string;
  /** The unit of its set: LoCoMo names turns, LongMemEval only sessions. */
  readonly unit: Unit;
}

/**
 * Measures how well questions find their answers in an imported corpus, compared with plain FTS5 on the same texts. A
 * fold's weights are chosen on all other folds, so no question is evaluated with weights chosen on it.
 */
export async function benchSearch({ data, minds, say }: SearchOptions): Promise<SearchReport> {
  const questions: JudgedQuestion[] = [];
  let embedder = "none";
  for (const { set, corpus, foldOf } of findSets(data)) {
    const queried = await queryCorpus(corpus, { minds, say });
    embedder = queried.embedder;
    const unit = set === "LoCoMo" ? "turn" : "session";
    questions.push(...queried.questions.map((one, at) => ({ ...one, set, unit, fold: foldOf(at) }) as const));
  }
  say("choosing weights, each fold left out once");
  const choose = makeChooser<JudgedQuestion>((question, free) =>
    reciprocal(findPlaces(question, "everything", free)[question.unit]),
  );
  const names = [...new Set(questions.map((one) => one.fold))];
  const folds = names.map((fold) => {
    const weights = choose(groupBySet(questions.filter((one) => one.fold !== fold)));
    return { fold, questions: questions.filter((one) => one.fold === fold).length, weights };
  });
  const weightsFor = new Map(folds.map(({ fold, weights }) => [fold, weights]));
  const rows = questions.map((one) => ({
    question: one,
    row: makeRow(one, weightsFor.get(one.fold) ?? shippedWeights),
  }));
  const figures = (name: string, some: typeof rows, unitOf: (question: JudgedQuestion) => Unit): SetFigures =>
    computeFigures(
      name,
      some.map(({ question, row }) => ({ row, unit: unitOf(question) })),
    );
  const of = (set: string) => rows.filter(({ question }) => question.set === set);
  const own = (question: JudgedQuestion) => question.unit;
  const sets = [
    figures("LongMemEval", of("LongMemEval"), own),
    figures("LoCoMo", of("LoCoMo"), own),
    figures("LoCoMo", of("LoCoMo"), () => "session"),
  ].filter((one) => one.questions > 0);
  const pooled = figures("pooled", rows, own);
  const report = {
    embedder,
    folds,
    chosen: choose(groupBySet(questions)),
    shipped: shippedWeights,
    sets,
    pooled,
    met: isMet(pooled, sets),
    rows: rows.map(({ row }) => row),
  };
  return { ...report, text: formatSearchReport(report) };
}

function isMet(pooled: SetFigures, sets: readonly SetFigures[]): boolean {
  const isAbove = ({ hit1, hit5 }: SetFigures["lead"]) => hit1.low > 0 && hit5.low > 0;
  const isBelow = ({ hit1, hit5 }: StepDifference) => hit1.high < 0 || hit5.high < 0;
  return isAbove(pooled.lead) && ![...sets, pooled].some((set) => set.steps.some(isBelow));
}

function groupBySet(questions: readonly JudgedQuestion[]): readonly (readonly JudgedQuestion[])[] {
  return [...new Set(questions.map((one) => one.set))].map((set) => questions.filter((one) => one.set === set));
}

interface FoundSet {
  readonly set: "LongMemEval" | "LoCoMo";
  readonly corpus: Corpus;
  readonly foldOf: (at: number) => string;
}

/** A folder with both files, or one file of either format. */
function findSets(data: string | undefined): readonly FoundSet[] {
  const place = resolve(data ?? join("..", "shared", "data"));
  const isOne = existsSync(place) && statSync(place).isFile();
  const longMemEval = isOne ? place : join(place, "longmemeval_pool_dev.json.gz");
  const locomo = isOne ? place : join(place, "locomo_dev.json.gz");
  if (!existsSync(longMemEval) || !existsSync(locomo))
    throw new OldhandError("input", `there are no longmemeval_pool_dev.json.gz and locomo_dev.json.gz in ${place}`, {
      hint: "say where they are with --data",
    });
  const isLocomo = /locomo/i.test(basename(place));
  return [
    ...(isOne && isLocomo ? [] : [pooledSet(longMemEval)]),
    ...(isOne && !isLocomo ? [] : readLocomo(locomo).map(conversationSet)),
  ];
}

function pooledSet(file: string): FoundSet {
  return {
    set: "LongMemEval",
    corpus: readLongMemEval(file),
    foldOf: (at) => `LongMemEval, part ${1 + (at % PARTS)}`,
  };
}

function conversationSet(corpus: Corpus): FoundSet {
  return { set: "LoCoMo", corpus, foldOf: () => corpus.name };
}

function makeRow(question: JudgedQuestion, free: FreeWeights): Row {
  const { id, kind, query, gold, fold } = question;
  const ours = (step: SearchStep) => findPlaces(question, step, free);
  return {
    id,
    kind,
    query,
    gold,
    fold,
    places: {
      plain: findPlacesAmong(question, question.plain),
      porter: findPlacesAmong(question, question.porter),
      words: ours("words"),
      neighbours: ours("neighbours"),
      sessions: ours("sessions"),
      everything: ours("everything"),
    },
    shipped: findPlaces(question, "everything", shippedWeights),
  };
}

/** The same number of hits as for FTS5. */
const HITS = 50;

function findPlaces(question: QueriedQuestion, step: SearchStep, free: FreeWeights): Places {
  const ids = rankGathered(question.gathered[step === "sessions" ? "neighbours" : step], step, free).slice(0, HITS);
  return findPlacesAmong(
    question,
    ids.flatMap((id) => question.messages.get(id) ?? []),
  );
}

function findPlacesAmong({ gold }: CorpusQuestion, hits: readonly MessageRef[]): Places {
  const turns = new Set(gold);
  const sessions = new Set(gold.map((one) => one.split("#")[0] ?? one));
  const inOrder = [...new Set(hits.map((hit) => hit.session))];
  const placeOf = (at: number) => (at < 0 ? null : at);
  return {
    turn: placeOf(hits.findIndex((hit) => turns.has(`${hit.session}#${hit.seq}`))),
    session: placeOf(inOrder.findIndex((session) => sessions.has(session))),
  };
}

function reciprocal(place: number | null): number {
  return place === null ? 0 : 1 / (place + 1);
}

interface Measured {
  readonly row: Row;
  readonly unit: Unit;
}

function computeFigures(name: string, rows: readonly Measured[]): SetFigures {
  const hitsOf = (places: (row: Row) => Places, depth: number) =>
    rows.map(({ row, unit }) => {
      const place = places(row)[unit];
      return place !== null && place < depth ? 1 : 0;
    });
  const who = (contender: Contender) => (row: Row) => row.places[contender];
  const difference = (one: Contender, other: Contender) => ({
    hit1: computePairedDifference(hitsOf(who(one), 1), hitsOf(who(other), 1)),
    hit5: computePairedDifference(hitsOf(who(one), 5), hitsOf(who(other), 5)),
  });
  const share = (hits: readonly number[]) =>
    roundTo((100 * hits.reduce((sum, hit) => sum + hit, 0)) / Math.max(1, hits.length), 1);
  const both = (places: (row: Row) => Places) => ({ hit1: share(hitsOf(places, 1)), hit5: share(hitsOf(places, 5)) });
  return {
    name,
    unit: rows[0]?.unit ?? "session",
    questions: rows.length,
    hits: {
      ...(Object.fromEntries(contenders.map((one) => [one, both(who(one))])) as Record<
        Contender,
        ReturnType<typeof both>
      >),
      shipped: both((row) => row.shipped),
    },
    lead: difference("everything", "porter"),
    steps: contenders.slice(1).map((one, at) => ({
      step: one === "porter" ? "stemming" : one === "everything" ? "meaning" : one,
      ...difference(one, contenders[at] ?? "plain"),
    })),
  };
}
