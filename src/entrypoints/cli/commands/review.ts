import { backtest, hasMatcher } from "../../../distil/report/backtest.ts";
import { countRules } from "../../../distil/counting/count-rules.ts";
import { explainSilence } from "../../../recall/calls/explain-silence.ts";
import { type WrongRule, wrongRules } from "../../../recall/calls/wrong-rules.ts";
import { listRecordedMatches } from "../../../distil/report/preview-rule.ts";
import { isFromUserWords } from "../../../domain/rule/backing.ts";
import { isShowable } from "../../../domain/trust/showable.ts";
import { listRareCorrections } from "../../../distil/mining/mine-corrections.ts";
import { formatRareCorrections } from "../../../distil/mining/waiting-text.ts";
import {
  approveRule,
  approveWithheldAdvice,
  muteRule,
  pinRule,
  rejectRule,
  retireRule,
} from "../../../domain/rule/decisions.ts";
import { findTaughtRisk } from "../../../domain/rule/matching/unsayable.ts";
import { describeCallsOf } from "../../../domain/cause/sentence.ts";
import { compareHardestFirst, type Rule, isSpeaking } from "../../../domain/rule/rule.ts";
import { countUnexplained, unexplainedLines, waitsForReview } from "../../../domain/rule/unknown-cause.ts";
import { DAY, iso } from "../../../lib/clock.ts";
import { plural } from "../../../lib/text.ts";
import { openContext, type OpenMind } from "../../../mind.ts";
import { decideRule } from "../../../record/decide-rule.ts";
import { digest } from "../../../store/derived/digest.ts";
import { makeProvenance } from "../../../store/journal/journal.ts";
import { noteAcceptedRisk } from "../../../store/nouns/accepted-risks.ts";
import { noteKeptRule } from "../../../store/nouns/kept-rules.ts";
import { listRules } from "../../../store/nouns/rules.ts";
import { isScopeVisible } from "../../../domain/trust/visibility.ts";
import { seenFromShell } from "../parts/agent-shell.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";

/** One keystroke decides, with the evidence and the backtest in view. */
export const reviewCommand: CliCommand = {
  name: "review",
  summary:
    "Shows rules to decide, one by one, with evidence and backtest; one key decides. Rules in force that are mostly wrong come first, then candidates.",
  usage: "review [--all]",
  words: 0,
  flags: [newFlag("all", "boolean", "also show approved rules")],
  isOwnerOnly: ({ json }) => !json,
  run: async (_words, values, globals) => {
    const opened = await openContext({ home: globals.home, now: globals.now });
    try {
      const mind = await seenFromShell(opened, globals);
      await digest(mind.db);
      await countRules(mind);
      const wrong = await wrongRules(mind);
      const wrongIds = new Set(wrong.map(({ rule }) => rule.id));
      const all = (await listRules(mind.db)).filter((rule) => isScopeVisible(mind, rule.scope));
      const others = all
        .filter((rule) => waitsForReview(rule) || (values["all"] === true && rule.status === "approved"))
        .filter((rule) => !wrongIds.has(rule.id))
        .toSorted(compareHardestFirst);
      const rules = [...wrong.map(({ rule }) => rule), ...others].filter((rule) => isScopeVisible(mind, rule.scope));
      if (globals.json) {
        const pages = [];
        for (const rule of rules)
          pages.push({
            id: rule.id,
            text: rule.text,
            status: rule.status,
            level: rule.level,
            wrong: wrongIds.has(rule.id),
            ...(await loadCase(mind, rule)),
          });
        process.stdout.write(`${JSON.stringify(pages)}\n`);
        return 0;
      }
      if (rules.length === 0) process.stdout.write("No rule waits for a decision.\n");
      else await decideAll(mind, rules, wrong);
      const since = mind.clock.now() - mind.config.policy.distil.mineDays * DAY;
      const rare = formatRareCorrections(await listRareCorrections(mind, since));
      for (const line of [...rare, ...unexplainedLines(countUnexplained(all))]) process.stdout.write(`${line}\n`);
      return 0;
    } finally {
      await opened.close();
    }
  },
};

const decisions: Readonly<Record<string, { readonly name: string; readonly next: (rule: Rule) => Rule }>> = {
  a: { name: "approve", next: (rule) => approveRule(rule) },
  w: { name: "approve, with what worked", next: (rule) => approveWithheldAdvice(rule) ?? rule },
  d: { name: "approve, and deny the call", next: (rule) => approveRule(rule, "deny") },
  r: { name: "reject", next: rejectRule },
  m: { name: "mute", next: muteRule },
  p: { name: "pin", next: pinRule },
  k: { name: "keep", next: (rule) => rule },
  t: { name: "retire", next: retireRule },
};

/** Offered only for a rule in force that is wrong more often than right. */
const WRONG_RULE_KEYS: readonly string[] = ["k", "t"];

const KEYS = `a  approve: it is in force. With a matcher, a rule at watch or advise rises to nudge and is shown at the call; without one, at session start and with matching prompts
w  approve, and also teach what worked (only for a rule with advice that is withheld from agents)
d  approve, and deny the call it warns against (only for a rule with a matcher)
r  reject: it says nothing, and is not proposed again
m  mute: it says nothing, is still counted, and does not wait for review
p  pin: it does not decay; it still waits for review
k  keep a rule that is wrong more often than right: you are asked again if it gets worse by a fifth
t  retire: it says nothing any more
s  skip: decide later
q  quit
`;

async function decideAll(mind: OpenMind, rules: readonly Rule[], wrong: readonly WrongRule[]): Promise<void> {
  const keys = readKeys(process.stdin);
  let [decided, changed] = [0, 0];
  for (const [at, rule] of rules.entries()) {
    const counted = wrong.find((one) => one.rule.id === rule.id);
    process.stdout.write(`\n${at + 1} of ${rules.length}\n${await formatPage(mind, rule)}\n`);
    if (counted !== undefined)
      process.stdout.write(
        `  in force, and wrong more often than right: its calls failed ${counted.failed} of ${counted.calls} times\n`,
      );
    if (!process.stdin.isTTY && at === 0) process.stdout.write("(keys are read from standard input; Ctrl-D quits)\n");
    const hasMore = rule.evidence.remedy?.withheld !== undefined;
    const more = hasMore ? "[w] approve, with what worked  " : "";
    const deny = rule.matcher === null ? "" : "[d] approve, and deny the call  ";
    if (counted !== undefined) process.stdout.write("[k]eep  re[t]ire  [s]kip  [q]uit  [?] help > ");
    else process.stdout.write(`[a]pprove  ${more}[r]eject  [s]kip  [m]ute  [p]in  ${deny}[q]uit  [?] help > `);
    const key = await readKnownKey(
      keys,
      Object.keys(decisions).filter((one) =>
        WRONG_RULE_KEYS.includes(one)
          ? counted !== undefined
          : counted === undefined && (one !== "d" || deny !== "") && (one !== "w" || hasMore),
      ),
    );
    const decision = key === null ? undefined : decisions[key];
    const voice = decision === undefined ? "" : await describeVoice(mind, rule, decision.next(rule));
    process.stdout
      .write(`${decision === undefined ? (key === "q" || key === null ? "quit" : "skip") : decision.name + voice}
`);
    if (key === "q" || key === null) break;
    if (decision === undefined) continue;
    const made = await decideRule(mind, rule.id, makeProvenance(mind, "review", decision.name), decision.next);
    // The page named the risk.
    const risk = decision.name.startsWith("approve") ? findTaughtRisk(decision.next(rule)) : null;
    if (risk !== null) await noteAcceptedRisk(mind.db, rule.id, risk);
    if (counted !== undefined) await noteKeptRule(mind.db, rule.id, mind.clock.now());
    decided++;
    if (made.change !== null) changed++;
  }
  await keys.return(undefined);
  const undo = changed === 0 ? "" : "; oldhand history lists the changes, oldhand undo reverts the last one";
  process.stdout.write(`\n${plural(decided, "rule")} decided${undo}.\n`);
}

/** Asks again after any other key, so that a typo does not skip a rule. */
async function readKnownKey(keys: Parameters<typeof readNextKey>[0], known: readonly string[]): Promise<string | null> {
  for (;;) {
    const key = await readNextKey(keys);
    if (key === null || known.includes(key) || key === "s" || key === "q") return key;
    process.stdout.write(key === "?" ? `\n${KEYS}> ` : `${[...known, "s", "q"].join(", ")} or ? > `);
  }
}

async function formatPage(mind: OpenMind, rule: Rule): Promise<string> {
  const { backtest: tested, matcher, evidence, said } = await loadCase(mind, rule);
  const risk = findTaughtRisk(rule);
  const silence = risk === null ? await explainSilence(mind, asIfShown(rule)) : null;
  return [
    rule.text,
    `  ${rule.id}, ${rule.status}, ${rule.level}, from ${rule.origin}, ${rule.scope.kind === "global" ? "everywhere" : rule.scope.workspace}`,
    `  ${risk === null ? describeVisibility(rule, matcher, silence) : `WARNING: it teaches a command that ${risk}. Agents are not shown it, unless you approve it`}`,
    ...describeWithheld(rule),
    ...(said === null
      ? []
      : [
          `  said in ${plural(rule.evidence.sessions, "session")}, last on ${iso(rule.evidence.last).slice(0, 10)}`,
          ...(rule.matcher === null ? [] : [`  recorded calls that it matches: ${formatMatched(said)}`]),
        ]),
    tested === null || said !== null
      ? ""
      : `  would have warned at ${tested.fired} of ${nameCalls(rule, tested.opportunities)}; ${countFailed(tested)}, enough for the level ${tested.ceiling.level}`,
    ...(tested === null || said !== null ? [] : describeNewerCount(rule, tested)),
    ...evidence.map((one) => `  · ${one}`),
  ]
    .filter((text) => text !== "")
    .join("\n");
}

/** How many of the calls at which a rule would have warned failed. */
function countFailed({ fired, hits }: { readonly fired: number; readonly hits: number }): string {
  if (fired === 1) return hits === 1 ? "that call failed" : "that call worked";
  return hits === fired ? `all ${fired} of these failed` : `${hits} of these ${fired} failed`;
}

/** What only the owner sees: what worked, and why agents are not shown it. */
function describeWithheld({ evidence }: Rule): readonly string[] {
  const withheld = evidence.remedy?.withheld;
  return withheld === undefined
    ? []
    : [
        `  what worked: \`${withheld.line}\``,
        `  NOT SHOWN TO AGENTS: ${withheld.reason}`,
        `  with w, agents would read: ${withheld.sentence}`,
      ];
}

function describeVisibility(rule: Rule, matcher: string | null, silence: string | null): string {
  if (silence === null) return describeWhenShown(rule, matcher);
  return `is not shown${isSpeaking(rule) ? " now" : ", and would not be if approved"}: ${silence}`;
}

/** A rule that is silent by its level, as it would be after approval: the disk and its calls are asked alike. */
function asIfShown(rule: Rule): Rule {
  return isSpeaking(rule) || rule.status !== "candidate" ? rule : { ...approveRule(rule), status: rule.status };
}

async function describeVoice(mind: OpenMind, rule: Rule, next: Rule): Promise<string> {
  if (isSpeaking(rule) || !isSpeaking(next)) return "";
  if (findTaughtRisk(rule) !== null) return ": it speaks from now on, with its risk";
  const silence = await explainSilence(mind, asIfShown(rule));
  return silence === null ? ": it speaks from now on" : `: agents are not shown it now: ${silence}`;
}

/** "8 `uv sync` calls" */
function nameCalls({ matcher }: Rule, count: number): string {
  const name = matcher?.tool === "shell" ? (matcher.head ?? "shell") : (matcher?.tool ?? "");
  return `${count} \`${name}\` ${count === 1 ? "call" : "calls"}`;
}

/** The sentence is counted again with the next mining; until then its number may be older. */
function describeNewerCount({ text }: Rule, { hits, fired }: { readonly hits: number; readonly fired: number }) {
  const [, failed, of] = /\(failed (\d+) of (\d+)\)/.exec(text) ?? [];
  if (failed === undefined || (Number(failed) === hits && Number(of) === fired)) return [];
  return [`  the sentence says ${failed} of ${of}: calls since then are added to it with the next mining`];
}

/** When agents are shown it, now and after approval. */
function describeWhenShown(rule: Rule, matcher: string | null): string {
  if (matcher === null)
    return `${isShowable(rule) ? "is shown" : "says nothing; if approved, it is shown"} at session start and with matching prompts`;
  if (!isShowable(rule)) return `says nothing; if approved, it is shown at a call of ${matcher}`;
  if (rule.level === "advise")
    return `is shown at session start and after ${matcher} failed; if approved, also at the call`;
  return `is shown at a call of ${matcher}`;
}

/** Few, because this is a sentence and not a list. */
const SHOWN = 3;

function formatMatched(calls: readonly { readonly command: string; readonly times: number }[]): string {
  const shown = calls.slice(0, SHOWN).map((one) => `\`${one.command}\`${one.times > 1 ? ` (${one.times} times)` : ""}`);
  const more = calls.length - shown.length;
  return calls.length === 0 ? "none" : [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

async function loadCase(mind: OpenMind, rule: Rule) {
  return {
    matcher: rule.matcher === null ? null : describeCallsOf(rule.matcher),
    backtest: hasMatcher(rule) ? await backtest(mind, rule) : null,
    said: isFromUserWords(rule)
      ? rule.matcher === null
        ? []
        : await listRecordedMatches(mind.db, { ...rule, matcher: rule.matcher })
      : null,
    evidence: rule.evidence.refs.slice(-3).map((ref) => `${ref.session}#${ref.seq}  ${ref.excerpt}`),
  };
}

/** Yields single keys; in a terminal without waiting for Enter. */
async function* readKeys(input: typeof process.stdin): AsyncGenerator<string> {
  const raw = input.isTTY;
  if (raw) input.setRawMode(true);
  try {
    for await (const chunk of input as AsyncIterable<Buffer>)
      for (const key of chunk.toString("utf8")) {
        if (key === "\u0003" || key === "\u0004") return;
        if (key !== "\n" && key !== "\r") yield key.toLowerCase();
      }
  } finally {
    if (raw) input.setRawMode(false);
    input.pause();
  }
}

async function readNextKey(keys: AsyncGenerator<string>): Promise<string | null> {
  const next = await keys.next();
  return next.done === true ? null : next.value;
}
