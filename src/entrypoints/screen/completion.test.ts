import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newCompletion } from "./completion.ts";

it("completes a path with spaces in quotes, which the next Tab goes on with", async () => {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-completion-"));
  try {
    mkdirSync(join(dir, "my notes"));
    writeFileSync(join(dir, "my notes", "a plan.txt"), "");
    const completion = newCompletion(dir, () => []);
    const suggest = async (line: string) => {
      const signal = new AbortController().signal;
      const found = await completion.getSuggestions([line], 0, line.length, { signal });
      const [first] = found?.items ?? [];
      if (found == null || first === undefined) return null;
      return completion.applyCompletion([line], 0, line.length, first, found.prefix).lines[0];
    };
    expect(await suggest("read @my")).toBe('read @"my notes/');
    expect(await suggest('read @"my notes/')).toBe('read @"my notes/a plan.txt"');
    expect(await suggest('read @"my notes/a plan.txt" and')).toBeNull();
  } finally {
    rmSync(dir, { recursive: true });
  }
});
