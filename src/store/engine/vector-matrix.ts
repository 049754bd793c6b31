import { type Kernel, newKernel } from "../../lib/kernel.ts";
import type { VectorComparison, Db, NearVector, VectorStore } from "./db.ts";

/** Separates names in a packed list; our ids never contain it. */
export const NAME_SEPARATOR = "\u001f";

export interface VectorBlock {
  readonly count: number;
  readonly block: Uint8Array | null;
  readonly names: string | null;
  readonly last: string | null;
}

/** Reads vectors stored after one turn and up to another, a few thousand at a time, ordered by subject. */
export type ReadVectorBlock = (
  db: Db,
  of: { readonly noun: string; readonly model: string; readonly dims: number },
  range: { readonly after: number; readonly upTo: number; readonly from: string },
) => Promise<VectorBlock | undefined>;

type CompareOptions = Parameters<VectorStore["compare"]>[2];

/**
 * All vectors of a noun and model in memory, for long-running processes. Comparing all of them is exact, and
 * fast enough for some hundred thousand. Read once; later only new ones.
 */
export async function loadMatrix(
  db: Db,
  query: Pick<CompareOptions, "noun" | "model">,
  dims: number,
  read: ReadVectorBlock,
) {
  let known = matrices.get(db);
  if (!known) matrices.set(db, (known = new Map()));
  const key = JSON.stringify([query.noun, query.model, dims]);
  let matrix = known.get(key);
  if (!matrix) known.set(key, (matrix = newMatrix(dims)));
  const of = { noun: query.noun, model: query.model, dims };
  await matrix.refresh(() => readNewVectors(db, of, matrix, read));
  return matrix;
}

/** Removes them in this process at once. Another process may still find the name, but no row for it. */
export function removeFromMatrices(db: Db, noun: string, subjects: readonly string[]): void {
  for (const [key, matrix] of matrices.get(db) ?? [])
    if ((JSON.parse(key) as readonly unknown[])[0] === noun) for (const subject of subjects) matrix.remove(subject);
}

const matrices = new WeakMap<Db, Map<string, Matrix>>();

async function readNewVectors(
  db: Db,
  of: { readonly noun: string; readonly model: string; readonly dims: number },
  matrix: Matrix,
  read: ReadVectorBlock,
): Promise<void> {
  const upTo = await readLastTurn(db);
  if (upTo === matrix.turn) return;
  for (let from: string | null = ""; from !== null;) {
    const block: VectorBlock | undefined = await read(db, of, { after: matrix.turn, upTo, from });
    if (!block || block.block === null || block.names === null) break;
    matrix.put(block.block, block.names.split(NAME_SEPARATOR));
    from = block.last;
  }
  matrix.turn = upTo;
}

/** Each put gets its own turn, counted under a lock, so that a later one is never visible before an earlier. */
export async function takeNextTurn(tx: Db): Promise<number> {
  const row = await tx.get<{ value: string }>(
    `insert into meta (key, value) values ('vector turn', '1')
     on conflict (key) do update set value = cast(cast(meta.value as bigint) + 1 as text) returning value`,
  );
  return Number(row?.value ?? 1);
}

async function readLastTurn(db: Db): Promise<number> {
  const row = await db.get<{ value: string }>("select value from meta where key = 'vector turn'");
  return Number(row?.value ?? 0);
}

interface Matrix {
  turn: number;
  refresh(work: () => Promise<void>): Promise<void>;
  put(block: Uint8Array, subjects: readonly string[]): void;
  remove(subject: string): void;
  compare(query: Int8Array, options: Pick<CompareOptions, "k" | "subjects">): VectorComparison;
}

function newMatrix(dims: number): Matrix {
  // The kernel processes sixteen values at a time; padding is zero.
  const stride = Math.ceil(dims / 16) * 16;
  const kernel = newKernel();
  const queryOffset = kernel.reserve(stride);
  const subjects: string[] = [];
  const rowOf = new Map<string, number>();
  /** Valid until something is put or removed. */
  const crowdings = new Map<number, number>();
  let lengths = new Float32Array(0);
  let room = { capacity: 0, rows: 0, products: 0 };
  let refreshing: Promise<void> = Promise.resolve();
  const grow = (rows: number) => {
    if (rows <= room.capacity) return;
    room = growKernel(kernel, room, Math.max(1_024, rows, room.capacity * 2), { stride, used: subjects.length });
    const longer = new Float32Array(room.capacity);
    longer.set(lengths);
    lengths = longer;
  };
  const productsWith = (vector: Int8Array, rows: number): Int32Array => {
    const target = new Int8Array(kernel.memory.buffer, queryOffset, stride);
    target.fill(0);
    target.set(vector);
    kernel.run.compare(queryOffset, room.rows, room.products, rows, stride);
    return new Int32Array(kernel.memory.buffer, room.products, rows);
  };
  const crowdingOf = (row: number): number => {
    const known = crowdings.get(row);
    if (known !== undefined) return known;
    const rows = Math.min(subjects.length, CROWD_SAMPLE);
    const own = new Int8Array(kernel.memory.buffer, room.rows + row * stride, stride).slice();
    const products = productsWith(own, rows);
    const best: number[] = [];
    for (let other = 0; other < rows; other++) {
      const both = (lengths[row] as number) * (lengths[other] as number);
      if (other !== row && both > 0) keepBest(best, (products[other] as number) / both);
    }
    const crowding = best.reduce((sum, one) => sum + one, 0) / Math.max(1, best.length);
    crowdings.set(row, crowding);
    return crowding;
  };
  return {
    turn: -1,
    refresh: (work) => {
      // One at a time; the second caller finds everything read.
      refreshing = refreshing.then(work, work);
      return refreshing;
    },
    put: (block, names) => {
      crowdings.clear();
      const bytes = new Int8Array(block.buffer, block.byteOffset, block.byteLength);
      grow(subjects.length + names.length);
      for (const [at, name] of names.entries()) {
        const row = rowOf.get(name) ?? subjects.length;
        if (row === subjects.length) {
          subjects.push(name);
          rowOf.set(name, row);
        }
        const vector = bytes.subarray(at * dims, (at + 1) * dims);
        const target = new Int8Array(kernel.memory.buffer, room.rows + row * stride, stride);
        target.fill(0);
        target.set(vector);
        lengths[row] = vectorLength(vector);
      }
    },
    remove: (subject) => {
      crowdings.clear();
      const row = rowOf.get(subject);
      if (row !== undefined) lengths[row] = Number.NaN;
    },
    compare: (query, { k, subjects: only }) => {
      const products = productsWith(query, subjects.length);
      const length = vectorLength(query);
      const scores = new Float32Array(subjects.length);
      for (let row = 0; row < scores.length; row++) {
        const both = length * (lengths[row] as number);
        scores[row] = both === 0 ? 0 : (products[row] as number) / both;
      }
      const nearest = (most: number, among: readonly string[] | undefined) =>
        among === undefined ? pickBest(scores, subjects, most) : pickBestAmong(scores, { rowOf, among }, most);
      return {
        best: nearest(k, only),
        nearest: async (most, among) => nearest(most, among),
        of: async (some) =>
          new Map(
            some.flatMap((subject) => {
              const score = scores[rowOf.get(subject) ?? -1];
              return score === undefined || Number.isNaN(score) ? [] : [[subject, score] as const];
            }),
          ),
        crowding: async (some) =>
          new Map(
            some.flatMap((subject) => {
              const row = rowOf.get(subject);
              return row === undefined ? [] : [[subject, crowdingOf(row)] as const];
            }),
          ),
        ...computeSpread(scores),
      };
    },
  };
}

/** Number of vectors that one is compared with to compute its crowding. */
export const CROWD_SAMPLE = 1_000;
/** Number of nearest neighbours that count. */
export const CROWD_NEAREST = 10;

/** Keeps the highest scores, in descending order. */
function keepBest(best: number[], score: number): void {
  if (best.length === CROWD_NEAREST && score <= (best.at(-1) as number)) return;
  let at = best.length;
  while (at > 0 && (best[at - 1] as number) < score) at--;
  best.splice(at, 0, score);
  if (best.length > CROWD_NEAREST) best.pop();
}

function growKernel(
  kernel: Kernel,
  room: { readonly rows: number },
  capacity: number,
  { stride, used }: { readonly stride: number; readonly used: number },
) {
  const rows = kernel.reserve(capacity * stride);
  new Uint8Array(kernel.memory.buffer).copyWithin(rows, room.rows, room.rows + used * stride);
  return { capacity, rows, products: kernel.reserve(capacity * 4) };
}

/** The k best, best first; ties by name. */
function pickBest(scores: Float32Array, subjects: readonly string[], k: number): readonly NearVector[] {
  let kept: NearVector[] = [];
  let bar = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row] as number;
    if (!(score >= bar)) continue;
    kept.push({ subject: subjects[row] as string, score });
    if (kept.length < k * 2 + 64) continue;
    kept = sortNearest(kept, k);
    bar = kept.at(-1)?.score ?? bar;
  }
  return sortNearest(kept, k);
}

function pickBestAmong(
  scores: Float32Array,
  { rowOf, among }: { readonly rowOf: ReadonlyMap<string, number>; readonly among: readonly string[] },
  k: number,
): readonly NearVector[] {
  const known = [...new Set(among)].flatMap((subject) => {
    const score = scores[rowOf.get(subject) ?? -1];
    return score === undefined || Number.isNaN(score) ? [] : [{ subject, score }];
  });
  return sortNearest(known, k);
}

function sortNearest(near: readonly NearVector[], k: number): NearVector[] {
  return near.toSorted((a, b) => b.score - a.score || (a.subject < b.subject ? -1 : 1)).slice(0, Math.max(0, k));
}

/** The distribution of scores over all vectors, to judge whether a hit is really near. */
export function computeSpread(scores: ArrayLike<number>): { readonly mean: number; readonly deviation: number } {
  let [count, sum, squares] = [0, 0, 0];
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row] as number;
    if (Number.isNaN(score)) continue;
    count++;
    sum += score;
    squares += score * score;
  }
  if (count === 0) return { mean: 0, deviation: 0 };
  const mean = sum / count;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}

function vectorLength(vector: Int8Array): number {
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.sqrt(square);
}
