import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { redactValue } from "../src/domain/redact/redact.ts";
import { unzip } from "./data.ts";

/** One unit that a session stores: a call with its result, a prompt, a page of a file. */
interface Piece {
  readonly source: string;
  readonly value: unknown;
}

export interface RealTextReport {
  readonly lines: number;
  readonly altered: number;
  readonly rate: number;
  readonly bySource: Readonly<Record<string, { readonly lines: number; readonly altered: number }>>;
  readonly byRule: Readonly<Record<string, number>>;
  /** Text around the redactions, for reading: a rate does not show what was lost. */
  readonly samples: readonly string[];
}

/** Trajectories, prompts and lock files: texts without secrets, which redaction must not change. */
export function readRealText(folder: string): readonly Piece[] {
  const trajectories = listFiles(folder, /^traj_.*\.jsonl\.gz$/).flatMap((file) =>
    readRecords(join(folder, file)).map(({ input, out_head: out, error_text: error }) => ({
      source: file.replace(/^traj_|\.jsonl\.gz$/g, ""),
      value: { input, out, error },
    })),
  );
  const prompts = listFiles(folder, /^user_messages_dev\.jsonl\.gz$/).flatMap((file) =>
    readRecords(join(folder, file)).map(({ text }) => ({ source: "prompts", value: text })),
  );
  const own = ["package-lock.json", "CHANGELOG.md", "docs/cli.md", "docs/operations.md"].filter((file) =>
    existsSync(file),
  );
  const pages = own.flatMap((file) =>
    splitIntoPages(readFileSync(file, "utf8")).map((value) => ({ source: file, value })),
  );
  return [...trajectories, ...prompts, ...pages];
}

/** Counts the redactions in texts without secrets. The caller splits the pieces into a tuning half and a test half. */
export function measureRealText(pieces: readonly Piece[], samples: number): RealTextReport {
  const bySource: Record<string, { lines: number; altered: number }> = {};
  const byRule: Record<string, number> = {};
  const shown: string[] = [];
  let lines = 0;
  let altered = 0;
  for (const { source, value } of pieces) {
    const counted = (bySource[source] ??= { lines: 0, altered: 0 });
    for (const [text, clean] of listPairs(value, redactValue(value))) {
      const lineCount = text.split("\n").length;
      lines += lineCount;
      counted.lines += lineCount;
      if (clean === text) continue;
      const marks = [...clean.matchAll(MARK)].filter((mark) => !text.includes(mark[0]));
      altered += marks.length;
      counted.altered += marks.length;
      for (const mark of marks) {
        byRule[mark[1] ?? ""] = (byRule[mark[1] ?? ""] ?? 0) + 1;
        shown.push(`${source}: ${around(clean, mark.index)}`);
      }
    }
  }
  const step = Math.max(1, Math.floor(shown.length / Math.max(1, samples)));
  return {
    lines,
    altered,
    rate: Math.round((altered / Math.max(1, lines)) * 1e6) / 1e6,
    bySource,
    byRule,
    samples: shown.filter((_, at) => at % step === 0).slice(0, samples),
  };
}

const MARK = /\[redacted:([\w-]+)\]/g;
const around = (clean: string, at: number) => clean.slice(Math.max(0, at - 70), at + 50).replaceAll(/\s+/g, " ");

function* listPairs(before: unknown, after: unknown): Generator<readonly [string, string]> {
  if (typeof before === "string") yield [before, String(after)];
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null) return;
  for (const [name, value] of Object.entries(before)) yield* listPairs(value, (after as Record<string, unknown>)[name]);
}

function splitIntoPages(text: string): readonly string[] {
  const lines = text.split("\n");
  return Array.from({ length: Math.ceil(lines.length / 100) }, (_, at) =>
    lines.slice(at * 100, at * 100 + 100).join("\n"),
  );
}

function listFiles(folder: string, name: RegExp): readonly string[] {
  return readdirSync(folder).filter((file) => name.test(file));
}

function readRecords(file: string): readonly Readonly<Record<string, unknown>>[] {
  return unzip(file)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
