import { createInterface } from "node:readline";
import { OldhandError } from "../../../lib/errors.ts";
import { plural } from "../../../lib/text.ts";
import { openContext } from "../../../mind.ts";
import { invoke } from "../../../invoke.ts";
import { operationNamed, type OperationMap } from "../../../operations.ts";
import { FEWEST_RULES, MOST_RULES, type OnboardingState, readOnboarding } from "../../../recall/onboarding.ts";
import { readStartingRules } from "../../../recall/templates.ts";
import { surplusWordError } from "../parts/arguments.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";

export const initCommand: CliCommand = {
  name: "init",
  summary:
    "Sets up your agent's identity: its name, how the agent addresses you, and six to ten starting rules. Asks, or takes flags. Repeating it changes nothing. With --database: tests a PostgreSQL database, creates the tables, and uses it from then on.",
  usage: "init [--name NAME] [--address NAME] [--choose 1,2,5] [--rule SENTENCE]… [--yes] | init --database [ADDRESS]",
  words: 1,
  isOwnerOnly: (_globals, values) => values["database"] === true,
  flags: [
    newFlag("name", "string", "the agent's name"),
    newFlag("address", "string", "how the agent addresses you"),
    newFlag("choose", "string", "offered rules to take: numbers and ranges, such as 1-4,7"),
    { ...newFlag("rule", "string", "a rule of your own"), many: true },
    newFlag("database", "boolean", "set up a PostgreSQL database that machines share; asks for its address"),
    newFlag("yes", "boolean", "ask nothing; without a flag, a value stays as it is or takes its default"),
  ],
  run: async (words, values, globals) => {
    if (values["database"] === true) return (await import("./init-database.ts")).setUpDatabase(words[0], globals);
    if (words[0] !== undefined) throw surplusWordError(words[0], "init", false);
    const mind = await openContext({ home: globals.home, now: globals.now });
    try {
      const given = parseAnswers(values);
      const isAsking = values["yes"] !== true && !globals.json;
      const before = await readOnboarding(mind);
      const answers = isAsking ? await askQuestions(before, given) : given;
      const input = { name: answers.name, address: answers.address, rules: chooseRules(before, answers) };
      const done = await invoke(mind, operationNamed("init"), input, "oldhand init --help");
      process.stdout.write(globals.json ? `${JSON.stringify(done)}\n` : `${formatResult(done)}\n`);
      return 0;
    } finally {
      await mind.close();
    }
  },
};

interface Answers {
  readonly name: string | undefined;
  readonly address: string | undefined;
  /** Numbers of offered rules. */
  readonly chosen: readonly number[] | undefined;
  readonly own: readonly string[] | undefined;
}

function parseAnswers(values: Readonly<Record<string, unknown>>): Answers {
  const choose = values["choose"] as string | undefined;
  const chosen = choose === undefined ? undefined : parseNumbers(choose);
  if (chosen === null)
    throw new OldhandError("usage", `"${choose}" does not name rules 1 to ${readStartingRules().length}`, {
      hint: "such as --choose 1-4,7",
    });
  return {
    name: values["name"] as string | undefined,
    address: values["address"] as string | undefined,
    chosen,
    own: values["rule"] as string[] | undefined,
  };
}

/** Asks for what no flag gives. An empty answer or the end of input keeps the current value or takes the default. */
async function askQuestions(before: OnboardingState, given: Answers): Promise<Answers> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: process.stdin.isTTY === true,
  });
  const answers = lines[Symbol.asyncIterator]();
  const say = (words: string) => void process.stderr.write(words);
  const next = async (question: string): Promise<string | null> => {
    say(`${question} `);
    const line = await answers.next();
    if (process.stdin.isTTY !== true) say("\n");
    return line.done === true ? null : line.value.trim();
  };
  try {
    const name = given.name ?? (await next(`What is your agent called? [${before.name ?? "Old hand"}]`));
    const address = given.address ?? (await next(`How should it address you? [${before.address ?? "not set"}]`));
    const rules = given.chosen !== undefined || given.own !== undefined ? given : await askRules(before, { next, say });
    return { name: name || undefined, address: address || undefined, chosen: rules.chosen, own: rules.own };
  } finally {
    lines.close();
  }
}

interface Dialog {
  readonly next: (question: string) => Promise<string | null>;
  readonly say: (words: string) => void;
}

async function askRules(before: OnboardingState, { next, say }: Dialog): Promise<Pick<Answers, "chosen" | "own">> {
  const offered = readStartingRules();
  const usual = before.rules.length > 0 ? "as it is" : "1-8";
  say(`Rules to start with:\n${offered.map((rule, at) => `  ${String(at + 1).padStart(2)}. ${rule}\n`).join("")}`);
  for (;;) {
    const line = await next(`Which of them? Numbers, such as 1-4,7; 0 for none. [${usual}]`);
    if (line === null) return { chosen: undefined, own: undefined };
    const chosen = line === "" ? undefined : parseNumbers(line);
    if (chosen === null) {
      say(`That does not name rules 1 to ${offered.length}.\n`);
      continue;
    }
    const own: string[] = [];
    for (let rule = await next("A rule of your own? [none]"); rule; rule = await next("Another? [none]"))
      own.push(rule);
    if (chosen === undefined && own.length === 0) return { chosen, own: undefined };
    const count = chooseRules(before, { chosen, own })?.length ?? 0;
    if (count >= FEWEST_RULES && count <= MOST_RULES) return { chosen, own };
    say(`${FEWEST_RULES} to ${MOST_RULES} rules in all, not ${count}.\n`);
  }
}

/**
 * Undefined if nothing about rules was given. Own rules without chosen ones are added to the existing or the default
 * rules.
 */
function chooseRules(before: OnboardingState, { chosen, own = [] }: Partial<Answers>): readonly string[] | undefined {
  if (chosen === undefined && own.length === 0) return undefined;
  const offered = readStartingRules();
  const usual = offered.slice(0, Math.max(FEWEST_RULES, Math.min(8, MOST_RULES - own.length)));
  const base = before.rules.length > 0 ? before.rules : usual;
  return [...(chosen?.flatMap((at) => offered[at - 1] ?? []) ?? base), ...own];
}

/** Null if a number is not offered; `0` means none. */
function parseNumbers(words: string): readonly number[] | null {
  const most = readStartingRules().length;
  const found = new Set<number>();
  for (const part of words.split(/[\s,;]+/).filter(Boolean)) {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (from === undefined || Number(to ?? from) > most || Number(to ?? from) < Number(from)) return null;
    for (let at = Number(from); at <= Number(to ?? from); at++) if (at > 0) found.add(at);
  }
  return [...found].toSorted((a, b) => a - b);
}

function formatResult({ name, address, files, rules }: OperationMap["init"]["output"]): string {
  const made = rules.filter((rule) => rule.made).length;
  return [
    `Your agent is ${name ?? "as SOUL.md says"}${address === null ? "" : `, and addresses you as ${address}`}.`,
    ...files.map((file) => `${file.made ? "made" : "kept"}  ${file.path}`),
    `${plural(made, "rule")} added, ${rules.length - made} existed already. oldhand soul shows the identity; oldhand rules lists the rules.`,
  ].join("\n");
}
