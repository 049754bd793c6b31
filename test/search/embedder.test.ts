import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kernelText } from "../../scripts/kernel-text.mjs";
import { newKernel } from "../../src/lib/kernel.ts";
import { openEmbedder } from "../../src/models/open-embedder.ts";
import { loadMinilm } from "../../src/models/embed/minilm/model.ts";
import { root } from "../program.ts";

const weights = join(root, "dist", "minilm.bin");
const there = existsSync(weights);

describe("the kernel", () => {
  it("is what its source compiles to", async () => {
    expect(readFileSync(join(root, "src", "lib", "kernel-code.ts"), "utf8")).toBe(await kernelText());
  });

  it("multiplies bytes as the plain formula does", () => {
    const kernel = newKernel();
    const query = Int8Array.from({ length: 32 }, (_, i) => ((i * 37) % 255) - 127);
    const rows = Int8Array.from({ length: 32 * 5 }, (_, i) => ((i * 91) % 255) - 127);
    const [a, b] = [query, rows].map((bytes) => kernel.hold(new Uint8Array(bytes.buffer)));
    const out = kernel.reserve(5 * 4);
    kernel.run.compare(a ?? 0, b ?? 0, out, 5, 32);
    const plain = Array.from({ length: 5 }, (_, row) =>
      query.reduce((sum, value, at) => sum + value * (rows[row * 32 + at] ?? 0), 0),
    );
    expect([...new Int32Array(kernel.memory.buffer, out, 5)]).toEqual(plain);
  });

  it("computes the Gaussian error unit as the plain formula does", () => {
    const kernel = newKernel();
    const x = Float32Array.of(-4, -1, -0.3, 0, 0.3, 1, 2.5, 6);
    const at = kernel.hold(new Uint8Array(x.buffer));
    kernel.run.gelu(at, 8);
    // From tables of the normal distribution.
    const known = [-0.000127, -0.158655, -0.114627, 0, 0.185373, 0.841345, 2.484476, 6];
    for (const [i, value] of new Float32Array(kernel.memory.buffer, at, 8).entries())
      expect(value).toBeCloseTo(known[i] ?? Number.NaN, 4);
  });
});

describe.skipIf(!there)("the embedder that is built in (skipped where the build could not fetch its weights)", () => {
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

  it("gives the vector onnxruntime gives for the same weights, as near as four bits allow", () => {
    const embed = loadMinilm(readFileSync(weights));
    const vector = embed("This is an example sentence");
    // onnxruntime, with the word piece table in 32 bits: 0.0138 0.0551 0.0427
    for (const [at, value] of [0.0138, 0.0551, 0.0427].entries())
      expect(Math.abs((vector[at] ?? 0) - value)).toBeLessThan(0.005);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it("knows paraphrases from other things, as the model's card tells", () => {
    const embed = loadMinilm(readFileSync(weights));
    const happy = embed("That is a happy person");
    expect(cosine(happy, embed("That is a very happy person"))).toBeCloseTo(0.943, 1);
    expect(cosine(happy, embed("Today is a sunny day"))).toBeLessThan(0.4);
    expect(cosine(embed("the tests are red"), embed("the test suite fails"))).toBeGreaterThan(
      cosine(embed("the tests are red"), embed("lunch was delicious")) + 0.2,
    );
  });

  it("takes empty, endless and strange texts", async () => {
    const { embedder } = openEmbedder({});
    const texts = ["", "x".repeat(100_000), "\u0000\ud800", "日本語", "word ".repeat(50_000)];
    const vectors = await embedder?.embed(texts);
    expect(vectors?.map((vector) => vector.length)).toEqual(texts.map(() => 384));
    expect(vectors?.every((vector) => vector.some((value) => value !== 0))).toBe(true);
  });
});
