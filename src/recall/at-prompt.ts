import { fitOf, tellingWords } from "../domain/text/fit.ts";
import { keptWith, type Reminder, reminderDue, reminderText } from "../domain/advice/remind.ts";
import type { Memory } from "../domain/memory/memory.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import { CHARACTERS } from "../domain/advice/window.ts";
import type { Context } from "../context.ts";
import { workOf } from "../store/around-session.ts";
import type { ShownSoFar } from "../store/shown.ts";
import { compose, type Part, type Room, type Section, type Told } from "./compose.ts";
import { fittingMemories } from "./fitting-memories.ts";
import { otherSessions } from "./other-sessions.ts";
import { approvedFirst, type Listener, memoryPart, ruleSections } from "./parts.ts";
import { type Audience, sayableRules } from "./sayable-rules.ts";

type PromptContext = Pick<Context, "db" | "models" | "clock" | "config">;

interface Asked {
  readonly prompt: string;
  /** What it asked to remember, and was kept. */
  readonly kept?: readonly Memory[] | undefined;
  readonly shown: ShownSoFar;
}

/** What goes with a prompt: the rules and memories that fit it, news of other sessions, a reminder that is due. */
export async function atPrompt(ctx: PromptContext, to: Listener, asked: Asked): Promise<Told | null> {
  const room = roomFor(ctx, to, asked.shown);
  if (room.characters <= 0) return null;
  const kept = asked.kept ?? [];
  const told = new Set(kept.map((memory) => memory.id));
  const fits = (await fitting(ctx, to, asked.prompt)).map((section) => ({
    ...section,
    parts: section.parts.filter(({ kind, subject }) => kind !== "memory" || !told.has(subject)),
  }));
  const sections = [keptSection(kept), ...fits, ...(await news(ctx, to, asked))];
  return compose("", sections, room);
}

/** So that the agent need not write it down itself. */
function keptSection(kept: readonly Memory[]): Section {
  const parts = kept.map(({ id, scope }): Part => {
    const where = scope.kind === "global" ? "everywhere" : "in this workspace";
    const says = `oldhand: saved what the user asked to remember, in the user's words, as memory ${id} (${where}). You need not save it again.`;
    return { kind: "memory", subject: id, says };
  });
  return { heading: "", share: 0.2, parts };
}

/** Only the rules and memories that fit. Who asks may be in no session. */
export async function fittingPrompt(
  ctx: PromptContext,
  to: Audience & Pick<Listener, "hears">,
  asked: Asked,
): Promise<Told | null> {
  const room = roomFor(ctx, to, asked.shown);
  return room.characters <= 0 ? null : compose("", await fitting(ctx, to, asked.prompt), room);
}

function roomFor(ctx: PromptContext, to: Pick<Listener, "hears">, shown: ShownSoFar): Room {
  const { promptTokens, sessionTokens } = ctx.config.policy.recall;
  const tokens = Math.min(promptTokens, sessionTokens - shown.tokens);
  return { characters: Math.min(to.hears, tokens * CHARACTERS), already: shown.parts };
}

async function news(ctx: PromptContext, to: Listener, asked: Asked): Promise<readonly Section[]> {
  const others = await otherSessions(ctx.db, to, {
    now: ctx.clock.now(),
    minutes: ctx.config.policy.recall.otherSessionsMinutes,
  });
  return [
    { heading: "oldhand, other sessions at work:", share: 0.15, parts: others },
    { heading: "", share: 0.1, parts: await reminderPart(ctx, to, asked) },
  ];
}

async function fitting(ctx: PromptContext, to: Audience, prompt: string): Promise<readonly Section[]> {
  const words = tellingWords(prompt);
  if (words.size === 0) return [];
  const limit = ctx.config.policy.recall.adviceLimit;
  const fitting = best(await sayableRules(ctx, to), (rule) => fitOf(words, tellingWords(ruleWords(rule))));
  const rules = approvedFirst(fitting, limit);
  const { workspace, session } = to;
  const memories = await fittingMemories(ctx, { text: prompt, workspace, session, limit });
  return [
    ...ruleSections(rules, {
      approved: "oldhand, rules that fit this prompt:",
      candidates: "oldhand, candidate rules that fit this prompt, not yet reviewed:",
      share: 0.5,
    }),
    { heading: "oldhand, memories that fit this prompt:", share: 0.25, parts: memories.map(memoryPart) },
  ];
}

/** Those that fit at all; of equals the one that came first stays first. */
function best<T>(among: readonly T[], fit: (one: T) => number): readonly T[] {
  return among
    .map((one) => ({ one, fit: fit(one) }))
    .filter((each) => each.fit > 0)
    .toSorted((a, b) => b.fit - a.fit)
    .map((each) => each.one);
}

function ruleWords({ text, matcher }: RuleInPlay): string {
  return [text, matcher?.head, matcher?.command, matcher?.runs].filter(Boolean).join(" ");
}

async function reminderPart(ctx: PromptContext, to: Listener, { prompt, shown }: Asked): Promise<readonly Part[]> {
  const work = await workOf(ctx.db, { host: to.host, id: to.session });
  const told = (reminder: Reminder) => shown.parts.has(`reminder ${reminder}`);
  const due = reminderDue({ ...work, prompt }, told, ctx.config.policy.recall);
  const kept = due === null ? null : keptWith((await to.wayToKeep?.()) ?? "tools");
  if (due === null || kept === null) return [];
  return [{ kind: "reminder", subject: due, says: `oldhand: ${reminderText(due, kept)}` }];
}
