import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ChatHome,
  loadSpawn,
  startModel,
  newChatHome,
  openTerminal,
  program,
  type Terminal,
} from "./chat-terminal.ts";
import { measureChatSearch, measureResume } from "./chat-stored.ts";
import { median, roundTo } from "./floor.ts";

export interface ChatBenchOptions {
  readonly rounds: number;
  /** Turns of the long session. */
  readonly turns: number;
  /** Messages of the resumed session, and of all sessions that are searched. */
  readonly resumed: number;
  readonly searched: number;
  readonly say: (line: string) => void;
}

/**
 * Measures the terminal chat in a pseudo-terminal. A bare node and a bare echo run in the same rounds: what the machine
 * adds is in them too.
 */
export async function benchChat(options: ChatBenchOptions) {
  const { rounds, turns, say } = options;
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-chat-"));
  const model = await startModel();
  try {
    const home = newChatHome(dir, model.url);
    const spawn = await loadSpawn();
    const start = (args: readonly string[]) => openTerminal(spawn, args, home);
    say(`first prompt and keys, ${rounds} rounds`);
    const started = await measureStart(start, rounds);
    say(`a session of ${options.resumed} messages, a search in ${options.searched}`);
    const resume = await measureResume(join(dir, "resumed"), options.resumed, {
      rounds: Math.min(5, rounds),
      open: (where: ChatHome, id: string) => openTerminal(spawn, [program, "chat", "--resume", id], where),
      url: model.url,
    });
    const search = await measureChatSearch(join(dir, "searched"), options.searched);
    say(`a session of ${turns} turns`);
    const memory = await measureMemory(start, turns);
    return { node: process.versions.node, rounds, ...started, resume, search, memory };
  } finally {
    await model.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

type Start = (args: readonly string[]) => Terminal;

/** One letter for each moment; none of them occurs elsewhere on the screen. */
const moments = [
  { afterMs: 0, key: "ж" },
  { afterMs: 50, key: "щ" },
  { afterMs: 200, key: "ю" },
  { afterMs: 1_000, key: "я" },
] as const;
const EARLY = "э";
/** The border of the input. */
const PROMPT = "──────";
const ECHO =
  'process.stdin.setRawMode(true);process.stdin.on("data",(key)=>process.stdout.write(key));process.stdout.write("──────")';

async function measureStart(start: Start, rounds: number) {
  const times = { bare: [] as number[], prompt: [] as number[], echo: [] as number[] };
  const echoes = new Map<string, number[]>([
    ...moments.map(({ key }) => [key, []] as const),
    ["bare echo", []],
  ] as never);
  let lost = 0;
  let sent = 0;
  for (let round = 0; round <= rounds; round++) {
    const bare = async () => {
      const one = start(["-e", "0"]);
      await one.ended;
      return performance.now() - one.began;
    };
    const chat = async () => {
      const one = start([program, "chat"]);
      one.write(EARLY);
      const shown = await one.seen(PROMPT);
      const keys: { readonly key: string; readonly ms: number }[] = [];
      for (const [at, { afterMs, key }] of moments.entries()) {
        await wait(Math.max(0, afterMs - (moments[at - 1]?.afterMs ?? 0)));
        const begin = performance.now();
        const seen = one.seen(key);
        one.write(key);
        keys.push({ key, ms: (await seen) - begin });
      }
      const whole = EARLY + moments.map(({ key }) => key).join("");
      const isWhole = one.text().includes(whole);
      // Cleared, and left: the compiled code is kept for the next round.
      one.write("\x03");
      await wait(50);
      one.write("\x03");
      await one.ended;
      return { prompt: shown - one.began, keys, isWhole };
    };
    const echo = async () => {
      const one = start(["-e", ECHO]);
      const prompt = (await one.seen(PROMPT)) - one.began;
      const begin = performance.now();
      const seen = one.seen("я");
      one.write("я");
      const ms = (await seen) - begin;
      one.kill();
      await one.ended;
      return { prompt, ms };
    };
    const isEven = round % 2 === 0;
    const first = isEven ? await bare() : null;
    const made = await chat();
    const floor = first ?? (await bare());
    const plain = await echo();
    // The first round compiles the program and warms the disk cache.
    if (round === 0) continue;
    times.bare.push(floor);
    times.prompt.push(made.prompt);
    for (const { key, ms } of made.keys) echoes.get(key)?.push(ms);
    echoes.get("bare echo")?.push(plain.ms);
    times.echo.push(plain.prompt);
    sent += moments.length + 1;
    if (!made.isWhole) lost++;
  }
  const echoOf = (key: string) => {
    const all = echoes.get(key) ?? [];
    return { p50: roundTo(median(all), 1), p95: roundTo(p95(all), 1) };
  };
  return {
    firstPrompt: {
      bareNodeMs: roundTo(median(times.bare), 1),
      // A program that only reads keys and writes them back.
      bareEchoPromptMs: roundTo(median(times.echo), 1),
      promptMs: roundTo(median(times.prompt), 1),
      ratio: roundTo(median(times.prompt.map((ms, at) => ms / (times.bare[at] ?? ms)))),
      target: 2.5,
    },
    keys: {
      echoMs: Object.fromEntries(moments.map(({ afterMs, key }) => [`${afterMs} ms after the prompt`, echoOf(key)])),
      bareEchoMs: echoOf("bare echo"),
      sent,
      roundsWithLostKeys: lost,
      targetP95: 50,
    },
  };
}

/** Resident memory while a long session runs, and how fast turns are at its beginning and end. */
async function measureMemory(start: Start, turns: number) {
  const chat = start([program, "chat"]);
  try {
    return await sampleTurns(chat, turns);
  } finally {
    chat.kill();
  }
}

async function sampleTurns(chat: Terminal, turns: number) {
  const samples: { readonly turn: number; readonly megabytes: number; readonly turnMs: number }[] = [];
  await chat.seen(" · ask");
  const every = Math.max(1, Math.floor(turns / 10));
  let begin = performance.now();
  for (let turn = 1; turn <= turns; turn++) {
    const seen = chat.seen(`end${turn}end`);
    chat.write(`message ${turn}: what about it?\r`);
    await seen;
    if (turn % every !== 0) continue;
    const turnMs = roundTo((performance.now() - begin) / every, 1);
    samples.push({ turn, megabytes: readResident(chat.pid), turnMs });
    begin = performance.now();
  }
  chat.write("\x04");
  await chat.ended;
  const [middle, last] = [samples[Math.floor(samples.length / 2)], samples.at(-1)];
  return { samples, growthOfSecondHalf: roundTo((last?.megabytes ?? 0) / (middle?.megabytes ?? 1)) };
}

/** Megabytes; 0 where there is no /proc. */
function readResident(pid: number): number {
  try {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes) / 1_024);
  } catch {
    return 0;
  }
}

function p95(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)] ?? Number.NaN;
}
