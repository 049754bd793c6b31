import { scoreFit, weighWords } from "../domain/text/prompt-fit.ts";
import { describeLogAccess, type Reminder, chooseReminder, formatReminder } from "../domain/advice/reminder.ts";
import type { Memory } from "../domain/memory/memory.ts";
import type { ActiveRule } from "../domain/rule/rule.ts";
import { CHARACTERS_PER_TOKEN } from "../domain/advice/context-window.ts";
import type { Context } from "../context.ts";
import { readSessionWork } from "../store/events/around-session.ts";
import type { ShownSoFar } from "../store/shown/shown.ts";
import { composeMessage, type Part, type MessageRoom, type MessageSection, type Message } from "./compose-message.ts";
import { findFittingMemories } from "./memory/fitting-memories.ts";
import { listOtherSessionParts } from "./other-sessions.ts";
import { takeApprovedFirst, type Recipient, toMemoryPart, toRuleSections } from "./message-parts.ts";
import { type Audience, listSayableRules } from "./calls/sayable-rules.ts";

type PromptContext = Pick<Context, "db" | "models" | "clock" | "config">;

interface PromptQuery {
  readonly prompt: string;
  /** Memories just saved because the prompt asked for it. */
  readonly kept?: readonly Memory[] | undefined;
  readonly shown: ShownSoFar;
}

/** Advice for a prompt: matching rules and memories, news of other sessions, a due reminder. */
export async function composeAtPrompt(ctx: PromptContext, to: Recipient, query: PromptQuery): Promise<Message | null> {
  const room = computeRoom(ctx, to, query.shown);
  if (room.characters <= 0) return null;
  const kept = query.kept ?? [];
  const keptIds = new Set(kept.map((memory) => memory.id));
  const fits = (await findFittingSections(ctx, to, query.prompt)).map((section) => ({
    ...section,
    parts: section.parts.filter(({ kind, subject }) => kind !== "memory" || !keptIds.has(subject)),
  }));
  const sections = [keptSection(kept), ...fits, ...(await findNewsSections(ctx, to, query))];
  return composeMessage("", sections, room);
}

/** Tells the agent, so that it does not save the same again. */
function keptSection(kept: readonly Memory[]): MessageSection {
  const parts = kept.map(({ id, scope, text }): Part => {
    const where = scope.kind === "global" ? "everywhere" : "in this workspace";
    // Redaction removes secrets before a memory is stored. The user must know that this part is not saved.
    const says = /\[redacted:[\w-]+\]/.test(text)
      ? `oldhand: saved what the user asked to remember as memory ${id} (${where}), without the secret in it. Tell the user that secrets are not saved.`
      : `oldhand: saved what the user asked to remember, in the user's words, as memory ${id} (${where}). You need not save it again.`;
    return { kind: "memory", subject: id, says };
  });
  return { heading: "", share: 0.2, parts };
}

/** Only matching rules and memories. The caller may be outside any session. */
export async function composeFittingPrompt(
  ctx: PromptContext,
  to: Audience & Pick<Recipient, "maxCharacters">,
  query: PromptQuery,
): Promise<Message | null> {
  const room = computeRoom(ctx, to, query.shown);
  return room.characters <= 0 ? null : composeMessage("", await findFittingSections(ctx, to, query.prompt), room);
}

function computeRoom(ctx: PromptContext, to: Pick<Recipient, "maxCharacters">, shown: ShownSoFar): MessageRoom {
  const { promptTokens, sessionTokens } = ctx.config.policy.recall;
  const tokens = Math.min(promptTokens, sessionTokens - shown.tokens);
  return { characters: Math.min(to.maxCharacters, tokens * CHARACTERS_PER_TOKEN), already: shown.parts };
}

async function findNewsSections(
  ctx: PromptContext,
  to: Recipient,
  query: PromptQuery,
): Promise<readonly MessageSection[]> {
  const others = await listOtherSessionParts(ctx.db, to, {
    now: ctx.clock.now(),
    minutes: ctx.config.policy.recall.otherSessionsMinutes,
  });
  return [
    { heading: "oldhand, other sessions at work:", share: 0.15, parts: others },
    { heading: "", share: 0.1, parts: await reminderPart(ctx, to, query) },
  ];
}

async function findFittingSections(
  ctx: PromptContext,
  to: Audience,
  prompt: string,
): Promise<readonly MessageSection[]> {
  const words = weighWords(prompt);
  if (words.size === 0) return [];
  const limit = ctx.config.policy.recall.adviceLimit;
  const fit = (rule: ActiveRule) => scoreFit(words, weighWords(listRuleWords(rule)));
  const fitting = takeBest(await listSayableRules(ctx, to, (rule) => fit(rule) > 0), fit);
  const rules = takeApprovedFirst(fitting, limit);
  const { workspace, session } = to;
  const memories = await findFittingMemories(ctx, { text: prompt, workspace, session, limit });
  return [
    ...toRuleSections(rules, {
      approved: "oldhand, rules that fit this prompt:",
      candidates: "oldhand, candidate rules that fit this prompt, not yet reviewed:",
      share: 0.5,
    }),
    { heading: "oldhand, memories that fit this prompt:", share: 0.25, parts: memories.map(toMemoryPart) },
  ];
}

/** The items with a positive score, best first; a stable sort. */
function takeBest<T>(among: readonly T[], fit: (one: T) => number): readonly T[] {
  return among
    .map((one) => ({ one, fit: fit(one) }))
    .filter((each) => each.fit > 0)
    .toSorted((a, b) => b.fit - a.fit)
    .map((each) => each.one);
}

function listRuleWords({ text, matcher }: ActiveRule): string {
  return [text, matcher?.head, matcher?.command, matcher?.runs].filter(Boolean).join(" ");
}

async function reminderPart(
  ctx: PromptContext,
  to: Recipient,
  { prompt, shown }: PromptQuery,
): Promise<readonly Part[]> {
  const work = await readSessionWork(ctx.db, { host: to.host, id: to.session });
  const wasShown = (reminder: Reminder) => shown.parts.has(`reminder ${reminder}`);
  const due = chooseReminder({ ...work, prompt }, wasShown, ctx.config.policy.recall);
  const kept = due === null ? null : describeLogAccess((await to.wayToKeep?.()) ?? "tools");
  if (due === null || kept === null) return [];
  return [{ kind: "reminder", subject: due, says: `oldhand: ${formatReminder(due, kept)}` }];
}
