import { fitOf, tellingWords, wordsToSearch } from "../domain/text/fit.ts";
import { blockOf } from "../domain/trust/instruction-like.ts";
import type { Memory, Standpoint } from "../domain/memory/memory.ts";
import type { Policy } from "../domain/policy.ts";
import { type Reminder, reminderDue, reminderText } from "../domain/advice/remind.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import { CHARACTERS } from "../domain/advice/window.ts";
import type { Context } from "../context.ts";
import { questionEmbedder } from "../search/meaning.ts";
import { workOf } from "../store/around-session.ts";
import { hasMemories } from "../store/memories.ts";
import type { ShownSoFar } from "../store/shown.ts";
import { compose, type Part, type Section, type Told } from "./compose.ts";
import { findMemories } from "./memory-search.ts";
import { otherSessions } from "./other-sessions.ts";
import { type Listener, memoryPart, rulePart, rulesHere } from "./parts.ts";

interface World extends Pick<Context, "db" | "models"> {
  readonly now: number;
  readonly law: Policy["recall"];
}

interface Asked {
  readonly prompt: string;
  readonly shown: ShownSoFar;
  /** Without news and reminders. */
  readonly only?: "fitting";
}

/**
 * What goes with a prompt: the rules and memories that fit it, news of other sessions, a reminder that is due; or only
 * what fits. Nothing where nothing does.
 */
export async function atPrompt(world: World, to: Listener, asked: Asked): Promise<Told | null> {
  const { law } = world;
  const { prompt, shown } = asked;
  const tokens = Math.min(law.promptTokens, law.sessionTokens - shown.tokens);
  const room = { characters: Math.min(to.hears, tokens * CHARACTERS), already: shown.parts };
  if (room.characters <= 0) return null;
  const { rules, memories } = await fitting(world, to, prompt);
  const fits = [
    { heading: "oldhand, rules that fit this prompt:", share: 0.5, parts: rules.map(rulePart) },
    { heading: "oldhand, known that fits this prompt:", share: 0.25, parts: memories.map(memoryPart) },
  ];
  return compose("", asked.only === "fitting" ? fits : [...fits, ...(await news(world, to, asked))], room);
}

async function news(world: World, to: Listener, asked: Asked): Promise<readonly Section[]> {
  const others = await otherSessions(world.db, to, { now: world.now, minutes: world.law.otherSessionsMinutes });
  return [
    { heading: "oldhand, other sessions at work:", share: 0.15, parts: others },
    { heading: "", share: 0.1, parts: await reminderPart(world, to, asked) },
  ];
}

interface Fitting {
  readonly rules: readonly RuleInPlay[];
  readonly memories: readonly Memory[];
}

/** The rules and memories that fit a prompt, best first: those that share its words, then memories that surely mean the same. */
async function fitting(world: Pick<World, "db" | "law" | "models">, to: Listener, prompt: string): Promise<Fitting> {
  const { db, law } = world;
  const { workspace } = to;
  const asked = tellingWords(prompt);
  if (asked.size === 0) return { rules: [], memories: [] };
  const rules = best(await rulesHere(db, to), (rule) => fitOf(asked, tellingWords(ruleWords(rule))));
  const here: Standpoint = workspace === null ? {} : { workspace };
  const found = (await hasMemories(db))
    ? await findMemories(
        { db, embedder: await questionEmbedder(world) },
        {
          query: wordsToSearch(prompt).join(" "),
          sense: prompt.slice(0, LONGEST_SENSE),
          anyWord: true,
          here,
          limit: law.adviceLimit * 8,
        },
      )
    : [];
  const known = found.filter(({ memory }) => blockOf(memory) === null);
  const byWords = best(known, ({ memory }) => fitOf(asked, tellingWords(`${memory.text} ${memory.tags.join(" ")}`)));
  const byMeaning = known.filter((one) => one.fit === "sure" && !byWords.includes(one));
  const memories = [...byWords, ...byMeaning].map((one) => one.memory);
  return { rules: rules.slice(0, law.adviceLimit), memories: memories.slice(0, law.adviceLimit) };
}

/** A model reads no further. */
const LONGEST_SENSE = 1_000;

/** Those that fit at all; of equals the one that came first stays first. */
function best<T>(among: readonly T[], fit: (one: T) => number): readonly T[] {
  return among
    .map((one) => ({ one, fit: fit(one) }))
    .filter((each) => each.fit > 0)
    .toSorted((a, b) => b.fit - a.fit)
    .map((each) => each.one);
}

function ruleWords({ text, matcher }: RuleInPlay): string {
  return [text, matcher?.head, matcher?.command].filter(Boolean).join(" ");
}

async function reminderPart(world: World, to: Listener, { prompt, shown }: Asked): Promise<readonly Part[]> {
  const work = await workOf(world.db, { host: to.host, id: to.session });
  const told = (reminder: Reminder) => shown.parts.has(`reminder ${reminder}`);
  const due = reminderDue({ ...work, prompt }, told, world.law);
  return due === null ? [] : [{ kind: "reminder", subject: due, says: `oldhand: ${reminderText[due]}` }];
}
