import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { OldhandError } from "../src/lib/errors.ts";
import { isRecord, tryParseJson } from "../src/lib/json.ts";
import { openContext, type OpenMind } from "../src/mind.ts";
import { roundTo } from "./floor.ts";
import { runOperation } from "./run-operation.ts";

/** Words only; plain cosine of the same vectors; the product's recall. */
const contenders = ["words", "cosine", "everything"] as const;
type Contender = (typeof contenders)[number];

/** What the product's recall must reach on pairs it was not tuned on. */
const TARGET = { hit3: 0.7, hit5: 0.8, identifiers: 1 };
const ASKED = 5;

interface Pair {
  readonly id: string;
  readonly memory: string;
  readonly question: string;
  readonly split: string;
}

interface Row extends Pair {
  /** Position from 0; null if not among the hits. */
  readonly place: Readonly<Record<Contender, number | null>>;
}

interface Figures {
  readonly pairs: number;
  readonly hit1: number;
  readonly hit3: number;
  readonly hit5: number;
}

export interface RecallReport {
  readonly embedder: string | null;
  readonly memories: number;
  /** By split of the pairs, and for the identifiers. */
  readonly figures: Readonly<Record<string, Readonly<Record<Contender, Figures>>>>;
  /** Questions without an answer, and how many got one anyway. */
  readonly unrelated: { readonly questions: number; readonly answered: Readonly<Record<Contender, number>> } | null;
  readonly rows: readonly Row[];
  readonly met: boolean;
}

/**
 * Measures how often a question in other words finds the one memory that answers it. The folder has pairs.json ({id,
 * memory, question, split}), distractors.json (texts), identifiers.json (pairs whose question is a name) and optionally
 * unrelated.json (questions without an answer).
 */
export async function benchRecall({
  pairs: folder,
  say,
}: {
  readonly pairs: string;
  readonly say: (line: string) => void;
}): Promise<RecallReport> {
  const pairs = [...readPairs(folder, "pairs.json"), ...readPairs(folder, "identifiers.json", "identifiers")];
  const unrelated = readTexts(folder, "unrelated.json");
  const texts = [...new Set([...pairs.map((pair) => pair.memory), ...readTexts(folder, "distractors.json")])];
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const mind = await openContext({ home: join(dir, "home"), env: {} });
  try {
    say(`remembering ${texts.length} memories`);
    for (const text of texts) await runOperation(mind, "remember", { text, anyway: true });
    await runOperation(mind, "embed", {});
    const ask = await makeAskers(mind, texts, dir);
    say(`asking ${pairs.length + unrelated.length} questions`);
    const rows: Row[] = [];
    for (const pair of pairs) {
      const place = await each(async (who) => findRank(await ask[who](pair.question), pair.memory));
      rows.push({ ...pair, place });
    }
    const answered = await each(async (who) => {
      let count = 0;
      for (const question of unrelated) if ((await ask[who](question)).length > 0) count++;
      return count;
    });
    const splits = [...new Set(rows.map((row) => row.split))];
    const figures = Object.fromEntries(
      splits.map((split) => [split, computeFigures(rows.filter((row) => row.split === split))]),
    );
    return {
      embedder: (await mind.models.embedder())?.model ?? null,
      memories: texts.length,
      figures,
      unrelated: unrelated.length === 0 ? null : { questions: unrelated.length, answered },
      rows,
      met: isMet(figures),
    };
  } finally {
    await mind.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

type Ask = (question: string) => Promise<readonly string[]>;

async function makeAskers(mind: OpenMind, texts: readonly string[], cwd: string): Promise<Record<Contender, Ask>> {
  const recall = (ctx: OpenMind) => async (query: string) => {
    const input = { query, tiers: ["semantic"], limit: ASKED, workspace: cwd };
    const { pieces } = (await runOperation(ctx, "recall", input)) as {
      readonly pieces: readonly { readonly text: string }[];
    };
    return pieces.map((piece) => piece.text);
  };
  const embedder = await mind.models.embedder();
  const vectors = await embedder?.embed(texts);
  return {
    words: recall({ ...mind, models: { embedder: async () => null } }),
    everything: recall(mind),
    cosine: async (query) => {
      const [queryVector] = (await embedder?.embed([query])) ?? [];
      if (!queryVector || !vectors) return [];
      return texts
        .map((text, at) => ({ text, near: cosine(queryVector, vectors[at] ?? queryVector) }))
        .toSorted((a, b) => b.near - a.near)
        .slice(0, ASKED)
        .map((one) => one.text);
    },
  };
}

function cosine(a: Int8Array, b: Int8Array): number {
  let [dot, left, right] = [0, 0, 0];
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0;
    dot += value * other;
    left += value * value;
    right += other * other;
  }
  return dot / Math.sqrt(left * right || 1);
}

async function each<T>(of: (who: Contender) => Promise<T>): Promise<Record<Contender, T>> {
  const found: Partial<Record<Contender, T>> = {};
  for (const who of contenders) found[who] = await of(who);
  return found as Record<Contender, T>;
}

function findRank(texts: readonly string[], memory: string): number | null {
  const at = texts.indexOf(memory);
  return at === -1 ? null : at;
}

function computeFigures(rows: readonly Row[]): Record<Contender, Figures> {
  const of = (who: Contender): Figures => {
    const within = (places: number) =>
      roundTo(rows.filter(({ place }) => place[who] !== null && place[who] < places).length / rows.length, 3);
    return { pairs: rows.length, hit1: within(1), hit3: within(3), hit5: within(5) };
  };
  return { words: of("words"), cosine: of("cosine"), everything: of("everything") };
}

function isMet(figures: RecallReport["figures"]): boolean {
  return Object.entries(figures).every(([split, { cosine: plain, everything }]) => {
    if (split === "identifiers") return everything.hit3 >= TARGET.identifiers;
    const noWorse = (["hit1", "hit3", "hit5"] as const).every((hit) => everything[hit] >= plain[hit]);
    return noWorse && everything.hit3 >= TARGET.hit3 && everything.hit5 >= TARGET.hit5;
  });
}

function readPairs(folder: string, name: string, split?: string): readonly Pair[] {
  return readList(folder, name, true).flatMap((one, at) =>
    isRecord(one) && typeof one["memory"] === "string" && typeof one["question"] === "string"
      ? [
          {
            id: String(one["id"] ?? at),
            memory: one["memory"],
            question: one["question"],
            split: split ?? String(one["split"] ?? "all"),
          },
        ]
      : [],
  );
}

function readTexts(folder: string, name: string): readonly string[] {
  return readList(folder, name, false).flatMap((one) => {
    const text = isRecord(one) ? (one["memory"] ?? one["text"]) : one;
    return typeof text === "string" ? [text] : [];
  });
}

function readList(folder: string, name: string, needed: boolean): readonly unknown[] {
  const file = join(resolve(folder), name);
  if (!existsSync(file) && !needed) return [];
  const list = existsSync(file) ? tryParseJson(readFileSync(file, "utf8")) : undefined;
  if (Array.isArray(list)) return list;
  throw new OldhandError("input", `there is no list in ${file}`, { hint: "name the folder with --pairs" });
}
