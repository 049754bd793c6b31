import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { root } from "../program.ts";

const MAX_BYTES = 250_000;

it("the first load is at most 250 kB gzipped", () => {
  const folder = join(root, "dist", "dashboard");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(2);
  // All built files count, also the parts that are loaded when they are first shown.
  const sizes = files.map((file) => gzipSync(readFileSync(join(file.parentPath, file.name))).length);
  const sum = sizes.reduce((total, size) => total + size, 0);
  expect(sum).toBeLessThanOrEqual(MAX_BYTES);
});
