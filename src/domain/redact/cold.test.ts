import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { redact } from "./redact.ts";

const file = join(process.env["OLDHAND_DATA"] ?? "../shared/data", "secrets_dev.json.gz");

describe("the first text a process redacts", () => {
  it("is judged like any later one, though the index is not made yet", async () => {
    const texts = [
      `password = "${["hunter", "2zQ9x"].join("")}"`,
      `curl -u ${["elastic", "P@ssw0rd"].join(":")} https://localhost`,
      `${["gh", "p_"].join("")}${"a1B2c3D4e5".repeat(4).slice(0, 36)}`,
      "git status",
    ];
    for (const text of texts) expect(await cold(text)).toBe(redact(text));
  });

  it.skipIf(!existsSync(file))("is judged alike on every known secret and look-alike", async () => {
    const samples = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as Record<
      "pos" | "neg",
      { text: string }[]
    >;
    const texts = [...samples.pos, ...samples.neg].map((sample) => sample.text);
    for (const text of texts) expect(await cold(text)).toBe(redact(text));
    // Two texts side by side share anchors and boundaries.
    for (const [at, text] of texts.entries()) {
      const both = `${text} ${texts[(at * 7 + 3) % texts.length]}`;
      expect(await cold(both)).toBe(redact(both));
    }
  });
});

async function cold(text: string): Promise<string> {
  vi.resetModules();
  const fresh = await import("./redact.ts");
  return fresh.redact(text);
}
