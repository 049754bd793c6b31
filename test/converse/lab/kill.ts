import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect } from "vitest";
import { openChatSession } from "../../../src/converse/session/open-chat-session.ts";
import { openContext } from "../../../src/mind.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import type { ModelRequest, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { cleanEnv, root } from "../../program.ts";
import type { TestStore } from "../../stores.ts";
import { allowAll } from "./allow-all.ts";
import { CLAUDE, hear } from "./chat-lab.ts";
import { labTools } from "./lab-tools.ts";

interface Line {
  readonly kind: string;
  readonly id?: string;
  readonly text?: string;
  readonly [key: string]: unknown;
}

/** Makes the child one file, so that Node runs it. It lies in the package, where it finds its libraries. */
export async function bundleChild(): Promise<string> {
  const folder = join(root, "node_modules", `.oldhand-kill-${process.pid}`);
  const made = await rolldown({
    cwd: root,
    input: { child: "test/converse/lab/child.ts" },
    platform: "node",
    external: /^(?!\.|\/)/,
    logLevel: "silent",
  });
  await made.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
  await made.close();
  return folder;
}

export interface KilledSessions {
  /** In the middle of a turn, and of these with a call that had no result. */
  readonly died: number;
  readonly closed: number;
  readonly ended: number;
}

/** Kills processes in the middle of a turn, each after another line, and checks what is left of each session. */
export async function killSessions(
  kind: TestStore,
  { child, runs, seed }: { readonly child: string; readonly runs: number; readonly seed: number },
): Promise<KilledSessions> {
  const random = newRandom(seed);
  const model = await fakeAnthropic(play, { everyRequest: true });
  const seen = { died: 0, closed: 0, ended: 0 };
  try {
    for (let run = 0; run < runs; run++) {
      const at = { line: 1 + Math.floor(random() * LINES), afterMs: Math.floor(random() * 12) };
      const { died, closed } = await killOne(kind, { child, url: model.url, at });
      seen[died ? "died" : "ended"]++;
      if (closed) seen.closed++;
    }
  } finally {
    await model.close();
  }
  return seen;
}

/** About as many lines has a turn that nobody stops. */
const LINES = 30;

/** Three steps with tools, one of them with two calls; then the answer. */
function play({ body }: ModelRequest): ScriptedTurn {
  const text = JSON.stringify(body);
  if (text.includes("please resume")) return { text: "Resumed." };
  const done = text.split('"tool_result"').length - 1;
  const make = (cup: number) => ({
    tool: "shell",
    input: { command: `echo ${cup} >> cups; echo made ${cup}; sleep 0.08` },
  });
  if (done === 0) return { text: "First.", pieces: 3, calls: [make(1)] };
  if (done === 1) return { text: "Then two.", calls: [make(2), make(3)] };
  if (done === 3) return { calls: [{ tool: "read", input: { path: "cups" } }] };
  return { text: "Three cups are made.", pieces: 4, pauseMs: 1 };
}

async function killOne(
  kind: TestStore,
  of: {
    readonly child: string;
    readonly url: string;
    readonly at: { readonly line: number; readonly afterMs: number };
  },
): Promise<KilledSession> {
  const place = await kind.migrated();
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "oldhand-kill-")));
  const [home, cwd] = [join(dir, "mind"), join(dir, "shop")];
  mkdirSync(home);
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const settings = { embedder: "none", models: { use: [CLAUDE], exploreShare: 0, retryMs: 1 } };
  writeFileSync(join(home, "config.json"), JSON.stringify(settings));
  const keys = { ANTHROPIC_BASE_URL: of.url, ANTHROPIC_API_KEY: "plain-first-key-4711" };
  try {
    const env = { ...cleanEnv(dir), ...keys, HOME_OF_MIND: home, DATABASE: place.database, WORKSPACE: cwd };
    const said = await runUntilKilled(join(of.child, "child.mjs"), env, of.at);
    const why = `killed ${of.at.afterMs} ms after line ${of.at.line}: ${JSON.stringify(said)}`;
    return await checkSession({ home, database: place.database, cwd, env: keys, said, why });
  } finally {
    await place.remove();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The whole lines that it printed. */
function runUntilKilled(
  file: string,
  env: Readonly<Record<string, string>>,
  at: { readonly line: number; readonly afterMs: number },
): Promise<readonly Line[]> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString("utf8");
      if (out.split("\n").length > at.line) setTimeout(() => child.kill("SIGKILL"), at.afterMs);
    });
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
    child.once("error", fail);
    child.once("close", (code, signal) => {
      if (signal !== "SIGKILL" && code !== 0) return fail(new Error(`the child ended by itself: ${code} ${err}`));
      const lines = out.split("\n").slice(0, -1);
      done(lines.map((line) => JSON.parse(line) as Line));
    });
  });
}

interface KilledSession {
  readonly died: boolean;
  readonly closed: boolean;
}

/** Nothing acknowledged is lost, nothing is there twice, and the session goes on. */
async function checkSession(of: {
  readonly home: string;
  readonly database: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly said: readonly Line[];
  readonly why: string;
}): Promise<KilledSession> {
  const { home, database, cwd, env, said, why } = of;
  const id = said.find(({ kind }) => kind === "open")?.id;
  if (id === undefined || !said.some(({ kind }) => kind === "turn-start")) return { died: true, closed: false };
  const mind = await openContext({ home, database, env });
  try {
    const stored = await mind.db.all<{ seq: number; kind: string; data: string }>(
      "select seq, kind, data from chat_entries where session = ? order by seq",
      [id],
    );
    const before = stored.map(({ kind, data }) => ({ kind, ...(JSON.parse(data) as Record<string, unknown>) }) as Line);
    expect(
      stored.map(({ seq }) => seq),
      why,
    ).toEqual(stored.map((_, at) => at + 1));
    expect(
      before.filter(({ kind, text }) => kind === "user" && text === "make three cups"),
      why,
    ).toHaveLength(1);
    for (const { id: call, text } of said.filter(({ kind }) => kind === "tool-end"))
      expect(
        before.filter((one) => one.kind === "tool" && one.id === call && one.text === text),
        why,
      ).toHaveLength(1);
    const answers = said.filter(({ kind }) => kind === "usage").length;
    expect(before.filter(({ kind }) => kind === "assistant").length, why).toBeGreaterThanOrEqual(answers);
    const steering = said.find(({ kind }) => kind === "steering")?.id;
    if (said.some(({ kind }) => kind === "steered"))
      expect(
        before.filter((one) => one["inbox"] === steering),
        why,
      ).toHaveLength(1);

    const parts = { tools: async () => labTools, approvals: allowAll };
    const session = await openChatSession(mind, { cwd, session: id, hasPerson: false, parts });
    const died = session.entries().some((one) => one.kind === "turn-end" && one.reason === "died");
    expect(died, why).toBe(!before.some(({ kind }) => kind === "turn-end"));
    const next = await session.nextQueued();
    const isTaken = before.some((one) => one["inbox"] === steering);
    if (steering !== undefined) expect(next?.id ?? null, why).toBe(isTaken ? null : steering);
    const events = await hear(session.send("please resume"));
    expect(events.at(-1), why).toMatchObject({ kind: "turn-end", reason: "done" });
    expectPaired(
      session.entries().flatMap((one) => (one.kind === "assistant" || one.kind === "tool" ? [one] : [])),
      why,
    );
    const cups = existsSync(join(cwd, "cups")) ? readFileSync(join(cwd, "cups"), "utf8").trim().split("\n") : [];
    expect(new Set(cups).size, why).toBe(cups.length);
    const lines = readFileSync(join(home, "sessions", `${id}.jsonl`), "utf8")
      .trim()
      .split("\n");
    expect(lines, why).toHaveLength(session.entries().length + 1);
    await session.close();
    const closed = session.entries().some((one) => one.kind === "tool" && one.closed === "died");
    return { died, closed };
  } finally {
    await mind.close();
  }
}

/** Every call of an assistant message has exactly one result before the next message. */
function expectPaired(entries: readonly object[], why: string): void {
  let open: string[] = [];
  for (const entry of entries as (Line & { message?: { parts: Line[] } })[]) {
    if (entry.kind === "tool") {
      expect(open, why).toContain(entry.id);
      open = open.filter((one) => one !== entry.id);
      continue;
    }
    expect(open, why).toEqual([]);
    open = entry.message?.parts.flatMap(({ kind, id }) => (kind === "tool-call" && id !== undefined ? [id] : [])) ?? [];
  }
  expect(open, why).toEqual([]);
}

/** The same numbers for the same seed. */
function newRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
