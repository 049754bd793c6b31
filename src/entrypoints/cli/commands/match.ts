import { OldhandError } from "../../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { type KnownFact, newFactTracker } from "../../../domain/fact/fact-tracker.ts";
import { describeFact } from "../../../domain/fact/fact-message.ts";
import { isActiveOrMuted } from "../../../domain/rule/rule.ts";
import { isShowable } from "../../../domain/trust/showable.ts";
import { invoke } from "../../../invoke.ts";
import { openContext } from "../../../mind.ts";
import { operations } from "../../../operations.ts";
import { readLines } from "../../../observe/transcripts/lines.ts";
import { parseNeutralEvent } from "../../../observe/imports/neutral.ts";
import { newBatchMatcher } from "../../../recall/calls/match-batch.ts";
import { listFacts } from "../../../store/derived/facts.ts";
import { listRules } from "../../../store/nouns/rules.ts";
import { isEventVisible, isScopeVisible } from "../../../domain/trust/visibility.ts";
import { seenFromShell } from "../parts/agent-shell.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";

/** Streams its input, because a batch may be larger than memory. */
export const matchCommand: CliCommand = {
  name: "match",
  summary: "Shows the rules that warn against a call, with their levels; if there are none, the facts shown before it.",
  usage: "match COMMAND | match --batch FILE",
  words: 1,
  flags: [
    newFlag("tool", "string", "the tool's name; Bash if omitted"),
    newFlag("cwd", "string", "the folder it would run in, also as --workspace; this one if omitted"),
    newFlag(
      "batch",
      "string",
      "a file in the neutral format: prints one JSON line per call, with the rules and facts that would be shown before it",
    ),
    newFlag("watching", "boolean", "with --batch, also rules at level watch"),
  ],
  run: async ([command], values, globals) => {
    const mind = await openContext({ home: globals.home, now: globals.now });
    try {
      const seen = await seenFromShell(mind, globals);
      if (typeof values["batch"] === "string")
        return await matchBatch(seen, values["batch"], values["watching"] === true);
      if (command === undefined)
        throw new OldhandError("usage", "which command?", { hint: 'oldhand match "npm test"' });
      const one = operations.find(({ name }) => name === "match");
      if (one === undefined) throw new Error("there is no operation match");
      const input = { command, cwd: values["cwd"], tool: values["tool"] };
      const found = await invoke(seen, one, input, "oldhand match --help");
      process.stdout.write(`${globals.json ? JSON.stringify(found) : one.render(found)}\n`);
      return one.isNegative(found) ? 1 : 0;
    } finally {
      await mind.close();
    }
  },
};

async function matchBatch(
  mind: Awaited<ReturnType<typeof openContext>>,
  file: string,
  watching: boolean,
): Promise<number> {
  const rules = (await listRules(mind.db))
    .filter((rule) => isShowable(rule) || (watching && isActiveOrMuted(rule)))
    .filter((rule) => isScopeVisible(mind, rule.scope));
  const judge = newBatchMatcher(rules);
  const facts = (await listFacts(mind.db, null)).filter((fact) => isEventVisible(mind, fact.workspace));
  const book = newFactTracker(facts);
  let at = 0;
  for await (const line of readLines(file)) {
    at++;
    if (line.trim() === "") continue;
    const parsed = tryParseJson(line);
    const event = isRecord(parsed) ? parseNeutralEvent(parsed, mind.config.policy.observe) : null;
    if (event?.seq == null)
      throw new OldhandError("input", `line ${at} of ${file} is not a call in the neutral format`, {
        hint: "a line has session, seq, ts, tool, input and ok",
      });
    const call = { ...event, seq: event.seq };
    const read = { ...call, tool: call.tool ?? "", ...readCall(call) };
    const judged = judge(read);
    const found = judged.rules.map(({ id, level }) => ({ id, level }));
    // If a rule speaks before the call, no fact is shown.
    const isSaid = found.some(({ level }) => level !== "advise" && level !== "watch");
    const met = isSaid ? [] : book.before(read).map((fact) => ({ kind: fact.kind, text: formatFact(fact) }));
    book.after(read);
    process.stdout.write(`${JSON.stringify({ ref: judged.ref, rules: found, facts: met })}\n`);
  }
  return 0;
}

/** Without the remedy, because it may be newer than the call. */
function formatFact(fact: KnownFact): string {
  return describeFact({ ...fact, instead: null });
}
