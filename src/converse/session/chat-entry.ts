import { z } from "zod";
import { summariseEvent } from "../../distil/report/event-summary.ts";
import { chatModes } from "../../domain/settings/chat-mode.ts";
import { toolCallsOf, textOf } from "../turn/active-entries.ts";
import { closedCalls, type Entry, turnEndReasons } from "../turn/entry.ts";
import { iso } from "../../lib/clock.ts";

const base = {
  seq: z.number().describe("its number in the session, from 1"),
  at: z.string(),
  isCut: z.boolean().describe("a long text is shortened; `whole` gives all of it"),
};

const callShape = z.object({ id: z.string(), name: z.string(), summary: z.string(), input: z.unknown() });

/** An entry of a session of oldhand's own agent, without secrets, as a page shows it. */
export const chatEntryShape = z
  .discriminatedUnion("kind", [
    z.object({ ...base, kind: z.literal("system"), text: z.string(), tools: z.array(z.string()) }),
    z.object({
      ...base,
      kind: z.literal("user"),
      turn: z.number(),
      text: z.string(),
      isTypedMeanwhile: z.boolean().describe("it was typed while a turn was running"),
      isSteered: z.boolean().describe("that turn took it; otherwise it waited for the turn's end"),
    }),
    z.object({ ...base, kind: z.literal("note"), turn: z.number(), text: z.string() }),
    z.object({
      ...base,
      kind: z.literal("assistant"),
      turn: z.number(),
      text: z.string(),
      reasoning: z.string(),
      calls: z.array(callShape),
      model: z.string(),
      tokensIn: z.number(),
      tokensOut: z.number(),
      tokensCached: z.number().describe("the part of tokensIn that the provider had in its cache"),
      cost: z.number().describe("dollars"),
    }),
    z.object({
      ...base,
      kind: z.literal("tool"),
      turn: z.number(),
      id: z.string().describe("the call that it answers"),
      name: z.string(),
      ok: z.boolean(),
      text: z.string().describe("as the model got it"),
      forPerson: z.string().nullable().describe("the same in words for the person, if `text` is written for the model"),
      exitCode: z.number().nullable(),
      diff: z.string().nullable(),
      closed: z.enum(closedCalls).nullable().describe("why the call has no result of its own"),
      ms: z.number(),
    }),
    z.object({
      ...base,
      kind: z.literal("compaction"),
      summary: z.string(),
      tokensBefore: z.number(),
      tokensAfter: z.number(),
    }),
    z.object({ ...base, kind: z.literal("forgotten"), turn: z.number() }),
    z.object({ ...base, kind: z.literal("mode"), mode: z.enum(chatModes) }),
    z.object({ ...base, kind: z.literal("model"), model: z.string().nullable() }),
    z.object({ ...base, kind: z.literal("undo"), turn: z.number(), files: z.array(z.string()) }),
    z.object({
      ...base,
      kind: z.literal("turn-end"),
      turn: z.number(),
      reason: z.enum(turnEndReasons),
      message: z.string().nullable(),
    }),
  ])
  .meta({ id: "ChatEntry" });

export type ChatEntryOut = z.output<typeof chatEntryShape>;

/** Unless `isWhole`, long texts are shortened: a tool's result may have 100,000 characters. */
export function chatEntryOut(entry: Entry, isWhole: boolean): ChatEntryOut {
  let isCut = false;
  const cut = (text: string): string => {
    if (isWhole || text.length <= LONGEST_TEXT) return text;
    isCut = true;
    return text.slice(0, LONGEST_TEXT);
  };
  const details = describeEntry(entry, cut);
  return { seq: entry.seq, at: iso(entry.at), isCut, ...details } as ChatEntryOut;
}

const LONGEST_TEXT = 6_000;

type Details<E> = E extends ChatEntryOut ? Omit<E, "seq" | "at" | "isCut"> : never;

function describeEntry(entry: Entry, cut: (text: string) => string): Details<ChatEntryOut> {
  const { kind } = entry;
  switch (kind) {
    case "system":
      return { kind, text: cut(entry.text), tools: [...entry.tools] };
    case "user":
      return {
        ...{ kind, turn: entry.turn, text: cut(entry.text) },
        ...{ isTypedMeanwhile: entry.inbox !== null, isSteered: entry.isSteered === true },
      };
    case "note":
      return { kind, turn: entry.turn, text: cut(entry.text) };
    case "assistant":
      return describeAnswer(entry, cut);
    case "tool": {
      const { turn, id, name, ok, text, forPerson = null, exitCode, diff, closed, ms } = entry;
      return { kind, turn, id, name, ok, text: cut(text), forPerson, exitCode, diff: diff && cut(diff), closed, ms };
    }
    case "compaction": {
      const { summary, tokensBefore, tokensAfter } = entry;
      return { kind, summary: cut(summary), tokensBefore, tokensAfter };
    }
    case "forgotten":
      return { kind, turn: entry.turn };
    case "mode":
      return { kind, mode: entry.mode };
    case "model":
      return { kind, model: entry.model };
    case "undo":
      return { kind, turn: entry.turn, files: [...entry.files] };
    case "turn-end":
      return { kind, turn: entry.turn, reason: entry.reason, message: entry.message };
  }
}

function describeAnswer(
  { kind, turn, message, model, usage, cost }: Extract<Entry, { readonly kind: "assistant" }>,
  cut: (text: string) => string,
): Details<ChatEntryOut> {
  const reasoning = message.parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : [])).join("\n");
  return {
    ...{ kind, turn, text: textOf(message), reasoning: cut(reasoning), model, cost },
    ...{ tokensIn: usage.in, tokensOut: usage.out, tokensCached: usage.cached },
    calls: toolCallsOf(message).map(({ id, name, input }) => ({
      id,
      name,
      summary: summariseEvent({ kind: "call", tool: name, input, text: null }),
      input: cutInput(input, cut),
    })),
  };
}

/** The texts of an input; a written file is one of them. */
function cutInput(input: unknown, cut: (text: string) => string): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === "string" ? cut(value) : value]),
  );
}
