import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { iso } from "../src/lib/clock.ts";

export interface TranscriptFile {
  readonly path: string;
  readonly format: "claude-code" | "neutral";
  readonly bytes: number;
}

/**
 * Writes generated transcripts, one in ten in the neutral format, whose lines are short. Kinds of calls, their shares
 * and the lengths of input and output are as measured on recorded sessions; the words are from code, logs and paths, so
 * that redaction has realistic work. The same seed gives the same files.
 */
export function writeTranscripts(folder: string, megabytes: number, seed = 1): readonly TranscriptFile[] {
  mkdirSync(folder, { recursive: true });
  const random = randomFrom(seed);
  const files: TranscriptFile[] = [];
  let left = megabytes * 1e6;
  for (let n = 0; left > 0; n++) {
    const format = n % 10 === 9 ? "neutral" : "claude-code";
    const path = join(folder, `${format}-${n}.jsonl`);
    const bytes = writeFile(path, Math.min(left, FILE_BYTES), makeLines(format, n, random));
    files.push({ path, format, bytes });
    left -= bytes;
  }
  return files;
}

const FILE_BYTES = 10_000_000;
const PIECE = 1 << 20;

function writeFile(path: string, size: number, lines: Iterable<string>): number {
  const file = openSync(path, "w");
  let written = 0;
  let piece = "";
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE && written + piece.length < size) continue;
    written += writeSync(file, piece);
    piece = "";
    if (written >= size) break;
  }
  closeSync(file);
  return written;
}

interface Kind {
  readonly tool: string;
  readonly share: number;
  /** Characters at the 10th, 50th, 90th and 99th percentile. */
  readonly input: Quantiles;
  readonly output: Quantiles;
  readonly failing: number;
}

type Quantiles = readonly [number, number, number, number];

const kinds: readonly Kind[] = [
  { tool: "Bash", share: 0.6, input: [41, 85, 372, 658], output: [1, 300, 3_600, 14_000], failing: 0.07 },
  { tool: "Read", share: 0.13, input: [85, 113, 137, 161], output: [963, 2_730, 18_507, 51_421], failing: 0.013 },
  { tool: "Edit", share: 0.11, input: [347, 918, 1_442, 1_586], output: [104, 131, 1_370, 4_397], failing: 0.064 },
  { tool: "Grep", share: 0.08, input: [92, 144, 184, 221], output: [16, 591, 5_230, 16_600], failing: 0.012 },
  { tool: "TodoWrite", share: 0.08, input: [420, 680, 1_252, 1_939], output: [160, 160, 160, 160], failing: 0 },
];

type Random = () => number;

interface MadeCall {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
  readonly ok: boolean;
}

function* makeLines(format: TranscriptFile["format"], file: number, random: Random): Iterable<string> {
  const where = { sessionId: `bench-${file}`, cwd: `/home/ann/work/shop-${file % 20}` };
  for (let seq = 0; ; seq++) {
    const at = START + (file * 100_000 + seq) * 7_000;
    const call = makeCall(random);
    if (format === "neutral") yield neutralLine(where, seq, at, call);
    else yield* claudeLines(where, { seq, at, call, random });
  }
}

const START = Date.UTC(2026, 0, 1);

function neutralLine(where: { sessionId: string; cwd: string }, seq: number, at: number, call: MadeCall): string {
  return JSON.stringify({
    session: where.sessionId,
    seq,
    project: "ann/shop",
    agent: "bench",
    ts: iso(at),
    cwd: where.cwd,
    model: "some-model",
    sub: false,
    tool: call.tool,
    input: call.input,
    ok: call.ok,
    error_text: call.ok ? null : call.output.slice(0, 1_500),
    out_head: call.output.slice(0, 1_500),
    out_len: call.output.length,
  });
}

/** As Claude Code writes them: one line per thought, text or call, and one with the result, which contains it twice. */
function* claudeLines(
  where: { sessionId: string; cwd: string },
  made: { readonly seq: number; readonly at: number; readonly call: MadeCall; readonly random: Random },
): Iterable<string> {
  const { seq, at, call, random } = made;
  const id = `toolu_${where.sessionId}_${seq}`;
  const line = (type: string, name: string, ms: number, rest: object) =>
    JSON.stringify({
      parentUuid: `u-${where.sessionId}-${seq}`,
      isSidechain: false,
      userType: "external",
      ...where,
      version: "2.1.140",
      gitBranch: "main",
      type,
      ...rest,
      uuid: `${name}-${where.sessionId}-${seq}`,
      timestamp: iso(ms),
    });
  const says = (name: string, content: object) => {
    const usage = { input_tokens: 4, cache_read_input_tokens: 50_000, output_tokens: 120, service_tier: "standard" };
    const message = { id: `msg_${seq}`, type: "message", role: "assistant", model: "some-model", content: [content] };
    return line("assistant", name, at, { message: { ...message, stop_reason: null, usage } });
  };
  if (seq % 25 === 0) {
    const message = { role: "user", content: text(random, 40 + random() * 300) };
    yield line("user", "p", at - 2_000, { message });
  }
  if (random() < 0.5)
    yield says("t", { type: "thinking", thinking: text(random, 200 + random() * 1_200), signature: tail(random, 600) });
  if (random() < 0.4) yield says("s", { type: "text", text: text(random, 60 + random() * 400) });
  yield says("a", { type: "tool_use", id, name: call.tool, input: call.input });
  const result = { tool_use_id: id, type: "tool_result", content: call.output, ...(call.ok ? {} : { is_error: true }) };
  yield line("user", "r", at + 3_000, {
    message: { role: "user", content: [result] },
    toolUseResult: call.ok ? makeStructuredResult(call, random) : `Error: ${call.output}`,
  });
}

/** An edit's result contains the whole file before the edit. */
function makeStructuredResult(call: MadeCall, random: Random): object {
  if (call.tool === "Edit")
    return { ...(call.input as object), originalFile: text(random, drawLength([963, 2_730, 18_507, 51_421], random)) };
  if (call.tool === "Read") return { type: "text", file: { content: call.output, numLines: 100, startLine: 1 } };
  return { stdout: call.output, stderr: "", interrupted: false, isImage: false };
}

function makeCall(random: Random): MadeCall {
  const kind = chooseKind(random);
  const ok = random() >= kind.failing;
  const plain = text(random, drawLength(kind.output, random));
  const output = kind.tool === "Read" ? numberLines(plain) : plain;
  const input = makeInput(kind, random);
  return { tool: kind.tool, input, ok, output: ok ? output : `Exit code 1\nerror: ${pick(random)} failed\n${output}` };
}

/** Adds line numbers as Claude Code does. */
function numberLines(content: string): string {
  return content
    .split("\n")
    .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
    .join("\n");
}

function chooseKind(random: Random): Kind {
  let left = random();
  return kinds.find((kind) => (left -= kind.share) < 0) ?? (kinds[0] as Kind);
}

function makeInput(kind: Kind, random: Random): unknown {
  const length = drawLength(kind.input, random);
  const file = `/home/ann/work/shop/src/${pick(random)}/${pick(random)}.ts`;
  if (kind.tool === "Bash")
    return { command: command(random, length * 0.65), description: text(random, length * 0.25) };
  if (kind.tool === "Edit")
    return { file_path: file, old_string: text(random, length / 2), new_string: text(random, length / 2) };
  if (kind.tool === "Read") return { file_path: file };
  if (kind.tool === "Grep") return { pattern: pick(random), path: file };
  return { todos: [{ content: text(random, length), status: "pending" }] };
}

function drawLength([tenth, half, ninetieth, most]: Quantiles, random: Random): number {
  const at = random();
  const between = (from: number, to: number, share: number) => from + (to - from) * share;
  if (at < 0.1) return tenth * (at / 0.1);
  if (at < 0.5) return between(tenth, half, (at - 0.1) / 0.4);
  if (at < 0.9) return between(half, ninetieth, (at - 0.5) / 0.4);
  return between(ninetieth, most, (at - 0.9) / 0.1);
}

const commands = [
  "git status",
  "npm test",
  "ls -la",
  "rg -n",
  "sed -n 1,80p",
  "npx tsc --noEmit",
  "cat",
  "node",
] as const;

const operands = (
  "src/store/events/events.ts src/lib test/cli/commands.test.ts --json --limit 20 -n -A3 origin main HEAD~1 packages/core 'some words' \"$HOME/x\" " +
  "*.ts --filter core -m --run ./dist/app.js 2>&1 /dev/null -p 3000 --no-color"
).split(" ");

/** One command or several joined. Three in ten are exact repeats. */
function command(random: Random, length: number): string {
  let made = pick(random, commands);
  if (random() < 0.3) return made;
  while (made.length < length) {
    const at = random();
    made += at < 0.06 ? ` && ${pick(random, commands)}` : at < 0.1 ? " | head -20" : ` ${pick(random, operands)}`;
  }
  return made;
}

const words = (
  "const return import export function async await interface readonly string number boolean null undefined if else for of map filter " +
  "src/store/events/events.ts src/lib/text.ts test/cli/commands.test.ts node_modules/.bin/vitest packages/core/src/index.ts ./dist/app.js " +
  "the a to is not in of and with was found error warning expected received ran failed line column file module cannot resolve " +
  "user session workspace header request response status 200 404 1024 0x7f " +
  "=> { } ( ) [ ] ; : = === !== + - * / && || ?? ... // TODO: handle this \"use strict\" 'utf8' `template` <div> </div> className= " +
  "2026-01-05T12:17:36.209Z 127.0.0.1 localhost:3000 https://example.com/docs/page v2.1.140 main feature/login HEAD~1 3f2a9c1 +12 -3"
).split(" ");

/** Words at which redaction looks closer: as frequent as in recorded sessions, about 600 per megabyte. */
const secretHints = [
  "token",
  "tokens:",
  "apiKey",
  "password",
  "secret",
  "authorization",
  "key",
  "keys",
  "passed",
  "keyof",
];

function pick(random: Random, from: readonly string[] = words): string {
  return from[Math.floor(random() * from.length)] ?? "";
}

const SECRET_HINT_SHARE = 0.0035;

/** One word in ten thousand is a secret. */
function text(random: Random, length: number): string {
  let made = "";
  while (made.length < length) {
    const at = random();
    made += at < 0.0001 ? `ghp_${tail(random, 36)}` : pick(random, at < SECRET_HINT_SHARE ? secretHints : words);
    made += at < 0.08 ? "\n" : " ";
  }
  return made;
}

function tail(random: Random, length: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join("");
}

function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
