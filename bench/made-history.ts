import type { NewEvent } from "../src/domain/event/event.ts";
import { readCall } from "../src/domain/cause/read-call.ts";
import { MINUTE, SECOND } from "../src/lib/clock.ts";
import { hashText } from "../src/lib/hash.ts";
import { type Random, makeRandom } from "../src/lib/random.ts";

/** Results in about a year of work for a million events. */
const BETWEEN_SESSIONS = 52 * MINUTE;

/**
 * Generates a history, session by session, newest last: several hosts and workspaces, frequent and rare commands,
 * repeated and unique failures, recoveries, and corrections by users. The same seed gives the same history; a longer
 * one starts further in the past.
 */
export function* makeHistory(events: number, end: number, seed = 1): Generator<readonly NewEvent[]> {
  const random = makeRandom(seed);
  let at = end - Math.ceil(events / MEAN_EVENTS) * BETWEEN_SESSIONS;
  for (let [made, n] = [0, 0]; made < events; n++) {
    const session = makeSession(n, Math.min(end - 5 * MINUTE, at), random).slice(0, events - made);
    made += session.length;
    at += BETWEEN_SESSIONS;
    yield session;
  }
}

const MEAN_EVENTS = 100;
const hosts = ["claude-code", "claude-code", "claude-code", "codex", "codex", "opencode", "gemini"] as const;

interface SessionOrigin {
  readonly host: string;
  readonly session: string;
  readonly workspace: string;
  readonly model: string;
}

function makeSession(n: number, start: number, random: Random): readonly NewEvent[] {
  const name = hashText(`session ${n}`);
  const place: SessionOrigin = {
    host: hosts[Math.floor(random() * hosts.length)] ?? "codex",
    session: `${name.slice(0, 8)}-${name.slice(8, 12)}-4000-8000-${name.slice(4, 16)}`,
    workspace: `/home/dev/projects/${pick(projects, random)}`,
    model: random() < 0.7 ? "a-large-model" : "a-small-model",
  };
  const events: NewEvent[] = [];
  let at = start;
  const add = (made: Partial<NewEvent>) => {
    at += Math.floor((2 + random() * 20) * SECOND);
    events.push({
      ...blank,
      ...place,
      cwd: place.workspace,
      uid: `e${events.length}`,
      seq: events.length,
      at,
      ...made,
    });
  };
  const calls = Math.floor(10 + -Math.log(1 - random()) * (MEAN_EVENTS - 15));
  add({ kind: "session-start" });
  for (let i = 0; i < calls; i++) {
    if (i % 20 === 0) add({ kind: "prompt", text: makePrompt(random, i > 0) });
    const call = makeCall(random);
    add(read(call, place.host));
    if (!call.ok && call.helped !== null && random() < 0.6)
      add(read({ ...call, ...call.helped, ok: true }, place.host));
    if (i % 20 === 19) add({ kind: "answer", text: sentence(random, 60) });
  }
  add({ kind: "session-end" });
  return events;
}

const blank: NewEvent = {
  host: "",
  session: "",
  uid: "",
  seq: null,
  at: 0,
  kind: "call",
  workspace: null,
  cwd: null,
  tool: null,
  head: null,
  input: null,
  ok: null,
  outcome: null,
  benign: false,
  exitCode: null,
  error: null,
  signature: null,
  text: null,
  model: null,
  agent: null,
  durationMs: null,
};

interface MadeCall {
  readonly tool: string;
  readonly input: unknown;
  readonly ok: boolean;
  /** The output, or the error. */
  readonly output: string;
  readonly ms: number;
  /** The call that succeeded in the end, and its output. */
  readonly helped: { readonly input: unknown; readonly said: string } | null;
}

/** Converts a call to an event as an import does. */
function read(call: MadeCall, host: string): Partial<NewEvent> {
  const raw = {
    host,
    tool: call.tool,
    input: call.input,
    ok: call.ok,
    exitCode: null,
    error: call.ok ? null : call.output,
    text: call.ok ? call.output : null,
  };
  return { ...raw, ...readCall(raw), durationMs: call.ms };
}

function makeCall(random: Random): MadeCall {
  const ms = Math.floor(50 + random() * random() * 20_000);
  const at = random();
  if (at < 0.6) return shellCall(random, ms);
  const file = `src/${pick(nouns, random)}/${pick(nouns, random)}.ts`;
  if (at < 0.78)
    return { tool: "Read", input: { file_path: file }, ok: true, output: sentence(random, 90), ms, helped: null };
  if (at < 0.9) {
    const ok = random() > 0.06;
    const edit = { file_path: file, old_string: sentence(random, 8), new_string: sentence(random, 9) };
    const output = ok ? "The file was updated." : "String to replace not found in file.";
    const helped = { input: { ...edit, old_string: sentence(random, 7) }, said: "The file was updated." };
    return { tool: "Edit", input: edit, ok, output, ms, helped: ok ? null : helped };
  }
  return {
    tool: "Grep",
    input: { pattern: pick(nouns, random) },
    ok: true,
    output: sentence(random, 50),
    ms,
    helped: null,
  };
}

/** Few programs are common, and each has its own ways to fail. */
function shellCall(random: Random, ms: number): MadeCall {
  const [head, right, ...errors] = pick(programs, random);
  const fails = random() < 0.09;
  // Mostly a name from a common set, sometimes a new one.
  const what = random() < 0.85 ? pick(nouns, random) : `${pick(nouns, random)}-${pick(nouns, random)}`;
  const wrong = `${head} ${what}`;
  const better = `${right} ${what}`;
  if (!fails)
    return { tool: "Bash", input: { command: better }, ok: true, output: sentence(random, 50), ms, helped: null };
  const error = (errors[Math.floor(random() * errors.length)] ?? "failed").replaceAll("%", what);
  return {
    tool: "Bash",
    input: { command: wrong },
    ok: false,
    output: `Exit code 1\n${error}`,
    ms,
    helped: { input: { command: better }, said: sentence(random, 20) },
  };
}

type Program = readonly [head: string, right: string, ...errors: string[]];

const programs: readonly Program[] = [
  ["git push origin", "git pull --rebase origin", "error: failed to push some refs to origin (fetch first)"],
  ["npm test --", "npm run test --", "Error: cannot find module %", "TypeError: % is not a function"],
  ["pip install", "uv pip install", "error: externally-managed-environment", "ERROR: No matching distribution for %"],
  ["tsc -p", "npx tsc -p", "tsc: command not found", "error TS2304: Cannot find name %."],
  ["pytest", "python -m pytest", "ModuleNotFoundError: No module named %", "fixture % not found"],
  ["docker build -t", "sudo docker build -t", "permission denied while trying to connect to the Docker daemon socket"],
  ["kubectl get", "kubectl -n dev get", "Error from server (NotFound): % not found", "Unable to connect to the server"],
  ["cargo build -p", "cargo build --package", "error: package ID specification % did not match any packages"],
  ["go test ./", "go test -count=1 ./", "no required module provides package %", "undefined: %"],
  ["rg --type-add", "rg -n", "rg: unrecognized flag --%"],
  ["make", "make -j4", "make: *** No rule to make target %. Stop."],
  ["psql -c", "psql -d app -c", "ERROR: relation % does not exist", "FATAL: role % does not exist"],
  ["terraform apply", "terraform plan", "Error: Reference to undeclared resource %"],
  ["curl localhost/", "curl -fsS localhost/", "curl: (7) Failed to connect to localhost port 80"],
];

const projects = Array.from({ length: 40 }, (_, n) => `service-${n}`);

const promptWords = "please the test fails again make it work on main and keep the old api as it was".split(" ");

function makePrompt(random: Random, mayObject: boolean): string {
  if (mayObject && random() < 0.1) return `No, don't do that. Use ${pick(nouns, random)} instead, as I said.`;
  return Array.from({ length: 12 }, () => promptWords[Math.floor(random() * promptWords.length)]).join(" ");
}

/** Joined syllables: a large vocabulary in which few words are frequent. */
const syllables = "ba co di fe ga ho in jo ka lu me no or pa qui ro sa te um ve".split(" ");
const nouns: readonly string[] = Array.from({ length: 8_000 }, (_, n) =>
  [n % 20, Math.floor(n / 20) % 20, Math.floor(n / 400) % 20].map((i) => syllables[i]).join(""),
);

/** Picks earlier items more often, like the frequency of words and commands. */
function pick<T>(from: readonly T[], random: Random): T {
  const at = Math.floor(from.length ** random()) - 1;
  return from[Math.min(from.length - 1, Math.max(0, at))] as T;
}

function sentence(random: Random, words: number): string {
  const length = Math.ceil(words * (0.3 + random() * 1.4));
  return Array.from({ length }, () => pick(nouns, random)).join(" ");
}
