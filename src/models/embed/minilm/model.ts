import { type Kernel, newKernel } from "../../../lib/kernel.ts";
import { BEGIN_TOKEN, END_TOKEN, wordPieces } from "./word-pieces.ts";

export const MINILM_DIMS = 384;
const HIDDEN = 1_536;
const LAYERS = 6;
/** The maximum number of word pieces: the file has this many positions. */
const MOST_PIECES = 256;

/**
 * Loads all-MiniLM-L6-v2 from its packed file (scripts/pack-minilm.mjs). Returns a function from a text to its
 * vector, of length 1.
 */
export function loadMinilm(file: Uint8Array, mostPieces = 128): (text: string) => Float32Array {
  const parts = partsOf(file);
  const kernel = newKernel();
  const layers = Array.from({ length: LAYERS }, (_, layer) => layerOf(kernel, parts, layer));
  const norm = normOf(kernel, parts, "norm");
  const room = reserveBuffers(kernel);
  const pieces = wordPieces(Buffer.from(parts("vocabulary")).toString("utf8"));
  const start = embedding(parts);
  return (text) => {
    const numbers = [BEGIN_TOKEN, ...pieces.encode(text, Math.min(mostPieces, MOST_PIECES) - 2), END_TOKEN];
    const rows = numbers.length;
    const x = new Float32Array(kernel.memory.buffer, room.x, rows * MINILM_DIMS);
    for (const [row, number] of numbers.entries()) start(x, row, number);
    new Float32Array(kernel.memory.buffer, room.y, rows * MINILM_DIMS).fill(0);
    kernel.run.addAndNormalise(room.x, room.y, norm.gain, norm.bias, rows, MINILM_DIMS);
    for (const layer of layers) through(kernel, layer, room, rows);
    return direction(x, rows);
  };
}

interface Linear {
  readonly weights: number;
  readonly scales: number;
  readonly bias: number;
  readonly outputs: number;
  readonly columns: number;
}

interface Norm {
  readonly gain: number;
  readonly bias: number;
}

interface Layer {
  readonly query: Linear;
  readonly key: Linear;
  readonly value: Linear;
  readonly out: Linear;
  readonly up: Linear;
  readonly down: Linear;
  readonly first: Norm;
  readonly second: Norm;
}

/** Addresses in the kernel's memory of the buffers for one text. */
type Buffers = Readonly<
  Record<"x" | "y" | "q" | "k" | "v" | "context" | "wide" | "small" | "scales" | "scratch", number>
>;

function through(kernel: Kernel, layer: Layer, room: Buffers, rows: number): void {
  const { run } = kernel;
  const quantise = (from: number, columns: number) => run.quantise(from, room.small, room.scales, rows, columns);
  const multiply = (by: Linear, to: number) =>
    run.multiply(room.small, room.scales, by.weights, by.scales, by.bias, to, rows, by.outputs, by.columns);
  quantise(room.x, MINILM_DIMS);
  multiply(layer.query, room.q);
  multiply(layer.key, room.k);
  multiply(layer.value, room.v);
  run.attend(room.q, room.k, room.v, room.context, room.scratch, rows, MINILM_DIMS);
  quantise(room.context, MINILM_DIMS);
  multiply(layer.out, room.y);
  run.addAndNormalise(room.x, room.y, layer.first.gain, layer.first.bias, rows, MINILM_DIMS);
  quantise(room.x, MINILM_DIMS);
  multiply(layer.up, room.wide);
  run.gelu(room.wide, rows * HIDDEN);
  quantise(room.wide, HIDDEN);
  multiply(layer.down, room.y);
  run.addAndNormalise(room.x, room.y, layer.second.gain, layer.second.bias, rows, MINILM_DIMS);
}

/** The mean over the pieces, normalised to length 1. */
function direction(x: Float32Array, rows: number): Float32Array {
  const mean = new Float32Array(MINILM_DIMS);
  for (let at = 0; at < rows * MINILM_DIMS; at++)
    mean[at % MINILM_DIMS] = (mean[at % MINILM_DIMS] as number) + (x[at] as number);
  const length = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0)) || 1;
  return mean.map((value) => value / length);
}

/** The piece's row of the table plus its position's row. */
function embedding(parts: Parts): (x: Float32Array, row: number, number: number) => void {
  const table = parts("pieces");
  const scales = floats(parts("piece scales"));
  const positions = floats(parts("positions"));
  return (x, row, number) => {
    for (let d = 0; d < MINILM_DIMS; d++) {
      const at = number * MINILM_DIMS + d;
      const two = table[at >> 1] as number;
      const four = (at % 2 === 0 ? two & 15 : two >> 4) - 8;
      const place = row * MINILM_DIMS + d;
      x[place] = four * (scales[at >> 5] as number) + (positions[place] as number);
    }
  };
}

function layerOf(kernel: Kernel, parts: Parts, layer: number): Layer {
  const linear = (name: string, outputs: number, columns: number) =>
    linearOf(kernel, parts, { name: `${layer} ${name}`, outputs, columns });
  return {
    query: linear("query", MINILM_DIMS, MINILM_DIMS),
    key: linear("key", MINILM_DIMS, MINILM_DIMS),
    value: linear("value", MINILM_DIMS, MINILM_DIMS),
    out: linear("out", MINILM_DIMS, MINILM_DIMS),
    up: linear("up", HIDDEN, MINILM_DIMS),
    down: linear("down", MINILM_DIMS, HIDDEN),
    first: normOf(kernel, parts, `${layer} first norm`),
    second: normOf(kernel, parts, `${layer} second norm`),
  };
}

function linearOf(
  kernel: Kernel,
  parts: Parts,
  { name, outputs, columns }: { readonly name: string; readonly outputs: number; readonly columns: number },
): Linear {
  const weights = kernel.reserve(outputs * columns * 2);
  const scales = kernel.reserve(outputs * 4);
  const packed = kernel.hold(parts(name));
  const blocks = kernel.hold(parts(`${name} scales`));
  kernel.run.unpack(packed, blocks, weights, scales, outputs, columns);
  return { weights, scales, bias: kernel.hold(parts(`${name} bias`)), outputs, columns };
}

function normOf(kernel: Kernel, parts: Parts, name: string): Norm {
  return { gain: kernel.hold(parts(`${name} gain`)), bias: kernel.hold(parts(`${name} bias`)) };
}

function reserveBuffers(kernel: Kernel): Buffers {
  const rows = (columns: number) => kernel.reserve(MOST_PIECES * columns * 4);
  return {
    x: rows(MINILM_DIMS),
    y: rows(MINILM_DIMS),
    q: rows(MINILM_DIMS),
    k: rows(MINILM_DIMS),
    v: rows(MINILM_DIMS),
    context: rows(MINILM_DIMS),
    wide: rows(HIDDEN),
    small: rows(HIDDEN / 2),
    scales: rows(1),
    scratch: rows(33),
  };
}

type Parts = (name: string) => Uint8Array;

/**
 * The file's parts by name. The first four bytes are the length of the index, which holds the offset and length of
 * each part.
 */
function partsOf(file: Uint8Array): Parts {
  const length = new DataView(file.buffer, file.byteOffset).getUint32(0, true);
  const index = JSON.parse(Buffer.from(file.subarray(16, 16 + length)).toString("utf8")) as Readonly<
    Record<string, readonly [number, number]>
  >;
  const begin = 16 + Math.ceil(length / 16) * 16;
  return (name) => {
    const found = index[name];
    if (!found) throw new Error(`the embedder's file has no ${name}`);
    return file.subarray(begin + found[0], begin + found[0] + found[1]);
  };
}

function floats(bytes: Uint8Array): Float32Array {
  // Copied, because a part may begin at any byte, and floats must be aligned.
  return new Float32Array(new Uint8Array(bytes).buffer);
}
