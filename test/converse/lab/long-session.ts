import { makeRandom, type Random } from "../../../src/lib/random.ts";
import { isRecord } from "../../../src/lib/json.ts";
import type { ModelRequest, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import type { TestStore } from "../../stores.ts";
import { endOf, hear, textsOf, withChat } from "./chat-lab.ts";
import { compactingParts, findSplitPairs, scriptWith } from "./compaction-lab.ts";

export interface LongSessionResult {
  readonly facts: number;
  /** Facts that the last request does not have. */
  readonly lost: readonly string[];
  readonly compactions: number;
  /** Two compactions without work in between, calls that nobody scripted, turns that did not end. */
  readonly faults: readonly string[];
  readonly requests: readonly ModelRequest[];
}

interface PlantedFact {
  /** What must be in the context, all of it. */
  readonly keys: readonly string[];
  readonly by: "person" | "agent" | "tool" | "call";
  readonly sentence: string;
}

/** One session from a seed: turns with planted facts, tool calls with long outputs, a model that summarises badly. */
export async function runLongSession(
  store: TestStore,
  of: { readonly seed: number; readonly turns: number; readonly window: number; readonly lines: number },
): Promise<LongSessionResult> {
  const random = makeRandom(of.seed);
  const plans = Array.from({ length: of.turns }, (_, at) => planTurn(random, at, of.lines));
  const facts = plans.slice(0, -2).flatMap((plan) => plan.facts);
  let result: LongSessionResult | null = null;
  const steps = plans.flatMap((plan) => plan.steps);
  const files = Object.fromEntries(plans.flatMap((plan) => plan.files));
  await withChat(
    store,
    { script: scriptWith(steps, (request) => summariseBadly(request, random)), files },
    async (lab) => {
      const session = await lab.open({ parts: compactingParts(lab, of.window) });
      const ends: string[] = [];
      for (const plan of plans) ends.push(endOf(await hear(session.send(plan.message))).reason);
      const last = lab.sent(-1);
      const context = `${last.system}\n${textsOf(last).join("\n")}\n${JSON.stringify(last.messages)}`;
      const kinds = session.entries().map(({ kind }) => kind);
      const made = kinds.flatMap((kind, at) => (kind === "compaction" ? [at] : []));
      const idle = made.filter((at, index) => index > 0 && !kinds.slice(made[index - 1], at).includes("tool"));
      result = {
        facts: facts.length,
        lost: facts.filter(({ keys }) => !keys.every((key) => context.includes(key))).map(({ sentence }) => sentence),
        compactions: made.length,
        faults: [
          ...ends.filter((reason) => reason !== "done"),
          ...idle.map((at) => `compaction at ${at} without work before it`),
          ...findSplitPairs(last.messages),
          ...(lab.model.requests.length === steps.length + made.length
            ? []
            : [`${lab.model.requests.length} requests`]),
        ],
        requests: lab.model.requests,
      };
      await session.close();
    },
  );
  if (result === null) throw new Error("the session did not run");
  return result;
}

function planTurn(random: Random, at: number, lines: number) {
  const facts = Array.from({ length: 3 }, (_, index) => makeFact(random, at * 3 + index));
  const path = `src/part-${at}/module-${number(random, 900)}.ts`;
  const printed = facts.filter(({ by }) => by === "tool").map(({ sentence }) => sentence);
  const output = makeOutput(random, lines);
  const middle = Math.floor(output.length / 2);
  const text = [...output.slice(0, middle), ...printed, ...output.slice(middle)].join("\n");
  const ofAgent = facts.filter(({ by }) => by === "agent").map(({ sentence }) => sentence);
  const wishes = facts.filter(({ by }) => by === "person").map(({ sentence }) => sentence);
  return {
    message: [`Please go on with part ${at}.`, ...wishes].join(" "),
    facts: [...facts, { keys: [path], by: "call" as const, sentence: path }],
    files: [[path, text] as const],
    steps: [
      { text: "Let me look at the file first.", calls: [{ tool: "read", input: { path } }] },
      { text: ["I have seen what I need.", ...ofAgent, "That part is clear to me."].join(" ") },
    ] satisfies readonly ScriptedTurn[],
  };
}

const number = (random: Random, below: number) => Math.floor(random() * below);
const hex = (random: Random) => Math.floor(random() * 0x7fffffff + 0x10000000).toString(16);
const pick = <T>(random: Random, of: readonly T[]): T => of[number(random, of.length)] as T;

/** Each fact is the only one with its keys. */
function makeFact(random: Random, at: number): PlantedFact {
  const size = `${100 + at * 7} MB`;
  const id = hex(random);
  const word = pick(random, ["ledger", "catalogue", "mailer", "importer", "gateway"]);
  const makers: readonly (() => PlantedFact)[] = [
    () => ({ by: "person", keys: [`audit_${at}`], sentence: `Never write to the table audit_${at} directly.` }),
    () => ({ by: "person", keys: [size, word], sentence: `The ${word} may take ${size} at most.` }),
    () => ({
      by: "person",
      keys: [`/spec/${at}-${id}`],
      sentence: `The design is at https://docs.example.org/spec/${at}-${id}.`,
    }),
    () => ({
      by: "person",
      keys: [`the ${word} team of floor ${at}`],
      sentence: `Ask the ${word} team of floor ${at} before you rename anything.`,
    }),
    () => ({ by: "agent", keys: [`library-${at}`], sentence: `I decided to use library-${at} for the ${word}.` }),
    () => ({
      by: "agent",
      keys: [`src/locks/lease-${at}.ts`],
      sentence: `The root cause is a stale lock in src/locks/lease-${at}.ts.`,
    }),
    () => ({
      by: "agent",
      keys: [`${at + 40} ms`],
      sentence: `A lookup in the ${word} takes ${at + 40} ms on this machine.`,
    }),
    () => ({ by: "agent", keys: [`shard ${at}`], sentence: `Should the ${word} move to shard ${at} as well?` }),
    () => ({ by: "tool", keys: [`req_${id}`], sentence: `request req_${id} failed after ${1_000 + at} ms` }),
    () => ({
      by: "tool",
      keys: [`SHOP-${1_000 + at}`],
      sentence: `see SHOP-${1_000 + at}: ${word} drops the last row`,
    }),
  ];
  return pick(random, makers)();
}

/** Code and log lines as tools print them, with names, and with numbers here and there. */
function makeOutput(random: Random, lines: number): readonly string[] {
  const name = () =>
    `${pick(random, ["get", "set", "load", "make"])}${pick(random, ["Cart", "Price", "User", "Row"])}${pick(random, ["s", "List", "Map", ""])}`;
  const makers: readonly (() => string)[] = [
    () =>
      `  const ${pick(random, ["item", "total", "entry", "value"])} = ${name()}(${pick(random, ["row", "key", "index"])});`,
    () => `  // ${pick(random, ["keeps the order of the rows", "is called by the tests", "returns early when empty"])}`,
    () => `  if (${pick(random, ["item", "total"])} === null) return ${name()}();`,
    () => `export function ${name()}(input) {`,
    () => "}",
  ];
  return Array.from({ length: lines }, (_, at) =>
    at % 25 === 24 ? `  ok ${name()} (${number(random, 50)} ms)` : pick(random, makers)(),
  );
}

/** Keeps half of the sentences that people and the model wrote, and nothing that tools printed. */
function summariseBadly({ body }: ModelRequest, random: Random): ScriptedTurn {
  const messages = isRecord(body) && Array.isArray(body["messages"]) ? (body["messages"] as readonly unknown[]) : [];
  const texts = messages.flatMap((message) =>
    isRecord(message) && Array.isArray(message["content"])
      ? (message["content"] as readonly unknown[]).flatMap((part) =>
          isRecord(part) && typeof part["text"] === "string" && !part["text"].includes("[oldhand]")
            ? [part["text"]]
            : [],
        )
      : [],
  );
  const sentences = texts.flatMap((text) => text.split(/(?<=[.!?])\s+/)).filter(() => random() < 0.5);
  return { text: sentences.join(" ").slice(0, 2_500) || "Nothing happened." };
}
