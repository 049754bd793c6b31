// Trains the direction in the built-in embedder's space that separates prompts about one project from general
// questions: a logistic regression on the two lists in bench/locality, written to
// src/domain/memory/locality-weights.ts. Needs a build: `npm run build && node scripts/train-locality.mjs && npx
// oxfmt`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

const root = join(import.meta.dirname, "..");
const MODEL = "all-minilm-l6-v2-q4";
/** Strength of the L2 regularisation. */
const HELD = 2;

const anywhere = linesOf("anywhere.txt");
const here = linesOf("here.txt");
const vectors = await embedded([...anywhere, ...here]);
const { weights, bias } = fitted(
  vectors.map((vector) => [...vector, 1]),
  vectors.map((_, at) => (at < anywhere.length ? 0 : 1)),
);
const most = Math.max(...weights.map(Math.abs));
const bytes = Int8Array.from(weights, (weight) => Math.round((weight * 127) / most));
writeFileSync(
  join(root, "src/domain/memory/locality-weights.ts"),
  `/* Made by scripts/train-locality.mjs from bench/locality. */
export const MODEL = ${JSON.stringify(MODEL)};
export const BIAS = ${bias.toFixed(4)};
/** What one in the bytes below counts. */
export const SCALE = ${(most / 127).toFixed(6)};
export const WEIGHTS =
  ${JSON.stringify(Buffer.from(bytes.buffer).toString("base64"))};
`,
);

function linesOf(name) {
  return readFileSync(join(root, "bench", "locality", name), "utf8")
    .trim()
    .split("\n");
}

async function embedded(texts) {
  const worker = new Worker(join(root, "dist", "minilm-worker.js"), {
    workerData: { file: join(root, "dist", "minilm.bin") },
  });
  const made = await new Promise((done, fail) => {
    worker.on("message", (message) => done(message.vectors));
    worker.on("error", fail);
    worker.postMessage({ id: 1, texts });
  });
  await worker.terminate();
  return made;
}

/** Fits by Newton's method. Both lists have the same weight, whatever their length. */
function fitted(rows, labels) {
  const ones = labels.reduce((sum, label) => sum + label, 0);
  const weightOf = (label) => rows.length / 2 / (label === 1 ? ones : rows.length - ones);
  const size = rows[0].length;
  const held = (at) => (at === size - 1 ? 1e-6 : HELD);
  const found = new Float64Array(size);
  for (let round = 0; round < 30; round++) {
    const slope = Float64Array.from(found, (value, at) => held(at) * value);
    const bend = Array.from({ length: size }, (_, at) => {
      const line = new Float64Array(size);
      line[at] = held(at);
      return line;
    });
    for (const [n, row] of rows.entries()) {
      const likely = 1 / (1 + Math.exp(-row.reduce((sum, value, at) => sum + value * found[at], 0)));
      const weight = weightOf(labels[n]);
      for (let i = 0; i < size; i++) {
        slope[i] += weight * (likely - labels[n]) * row[i];
        const part = weight * likely * (1 - likely) * row[i];
        for (let j = 0; j < size; j++) bend[i][j] += part * row[j];
      }
    }
    const step = solved(bend, slope);
    for (let at = 0; at < size; at++) found[at] -= step[at];
    if (Math.max(...step.map(Math.abs)) < 1e-7) break;
  }
  return { weights: [...found.subarray(0, size - 1)], bias: found[size - 1] };
}

/** Gaussian elimination. The matrix is symmetric and positive definite, so no pivoting is needed. */
function solved(matrix, right) {
  const size = right.length;
  for (let i = 0; i < size; i++)
    for (let j = i + 1; j < size; j++) {
      const factor = matrix[j][i] / matrix[i][i];
      for (let k = i; k < size; k++) matrix[j][k] -= factor * matrix[i][k];
      right[j] -= factor * right[i];
    }
  const answer = new Float64Array(size);
  for (let i = size - 1; i >= 0; i--) {
    let rest = right[i];
    for (let k = i + 1; k < size; k++) rest -= matrix[i][k] * answer[k];
    answer[i] = rest / matrix[i][i];
  }
  return answer;
}
