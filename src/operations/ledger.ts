import { z } from "zod";
import { distil } from "../distil/mining/distil.ts";
import type { Context } from "../context.ts";
import { type Actor, hostOfAgent } from "../domain/actor.ts";
import {
  countPatterns,
  type LedgerEntry,
  type Mistake,
  severities,
  type PatternTrend,
  computePatternTrend,
} from "../domain/ledger/ledger.ts";
import { patternKey } from "../domain/ledger/pattern.ts";
import { origins } from "../domain/rule/rule.ts";
import { folderCovers } from "../domain/workspace.ts";
import { iso } from "../lib/clock.ts";
import { OldhandError } from "../lib/errors.ts";
import { oneLine, plural } from "../lib/text.ts";
import { resolveTypedWorkspace } from "../observe/protocol/workspace.ts";
import { defineOperation } from "../operation.ts";
import { type RecordedEntry, recordMistake, recordWin, type NewLedgerEntry } from "../record/ledger.ts";
import { makeProvenance, forgetSubject } from "../store/journal/journal.ts";
import { listMistakes, listWins, mistakeNoun, winNoun } from "../store/nouns/ledger.ts";
import { finishForgetting, forgottenShape, formatForgotten } from "./shared/forgotten.ts";
import { limitInput, formatUndoHint, workspaceInput } from "./shared/shapes.ts";
import { rangeInput, readRange, touchesRange } from "./shared/time-range.ts";
import { resolveId } from "./shared/resolve-id.ts";

const text = (says: string) => z.string().trim().min(1).max(2_000).describe(says);

const entryInput = {
  what: text("what happened"),
  pattern: z
    .string()
    .max(200)
    .optional()
    .describe("the name it is counted under, such as not-verifying; if omitted, the error lists existing patterns"),
  prediction: text("").optional().describe("what was expected"),
  outcome: text("").optional().describe("what happened instead"),
  surprise: z.coerce
    .number<number>()
    .min(0)
    .max(1)
    .optional()
    .describe("how far the outcome was from the prediction: 0 to 1"),
  session: z.string().optional().describe("the session it happened in"),
  workspace: workspaceInput("the folder it happened in; this one if omitted"),
  everywhere: z
    .boolean()
    .optional()
    .describe("show it in all workspaces; of an agent, it stays in its workspace until the owner says so"),
};

const entryShape = z
  .object({
    kind: z.enum(["mistake", "win"]),
    id: z.string(),
    at: z.string(),
    what: z.string(),
    why: z.string(),
    pattern: z.string(),
    origin: z.enum(origins),
    session: z.string().nullable(),
    workspace: z.string().nullable(),
    expectation: z.object({ prediction: z.string(), outcome: z.string(), surprise: z.number() }).nullable(),
    shouldHave: z.string().nullable(),
    severity: z.enum(severities).nullable(),
    signal: z.string().nullable(),
  })
  .meta({ id: "LedgerEntry" });

const standingShape = z
  .object({
    pattern: z.string(),
    mistakes: z.number(),
    wins: z.number(),
    balance: z.number(),
    streak: z.object({ kind: z.enum(["mistake", "win"]), length: z.number() }),
    quietDays: z.number().nullable(),
    worst: z.enum(severities).nullable(),
    surprise: z.number().nullable(),
  })
  .meta({ id: "PatternStanding" });

const entered = z
  .object({
    entry: entryShape,
    change: z.number(),
    standing: standingShape,
    near: z.array(z.string()),
    note: z.string().nullable().describe("set if an agent wrote it and its session is unknown"),
  })
  .meta({ id: "Entered" });

const mistake = defineOperation({
  name: "mistake",
  on: "ledger",
  label: "Write a mistake",
  summary: "Records a mistake in the ledger, with the signal that was misread.",
  effect: "write",
  surfaces: ["cli", "http", "mcp"],
  input: z.object({
    ...entryInput,
    pattern: entryInput.pattern.describe(
      "the name it is counted under, such as not-verifying; if the owner omits it, it is derived from WHAT",
    ),
    why: text("").optional().describe("why it happened"),
    shouldHave: text("").optional().describe("what should have been done"),
    signal: text("").optional().describe("what was visible at the time, word for word: an output, a line, a file"),
    severity: z.enum(severities).default("medium").describe("how bad it was"),
  }),
  positional: ["what"],
  freeText: true,
  agentsGive: ["why", "shouldHave", "signal"],
  agentsExpect: ["pattern"],
  output: entered,
  run: async (ctx, input) => {
    const made = await recordMistake(ctx, { ...input, ...resolveWorkspaceAndSession(ctx.actor, input) });
    // The mistake that reaches the threshold creates the rule, so that the next session has it.
    await distil(ctx, { write: true, only: ["mistakes"] });
    return recordedOut(ctx, "mistake", made);
  },
  render: renderEntry,
});

const win = defineOperation({
  name: "win",
  on: "ledger",
  label: "Write a win",
  summary: "Records a win in the ledger: what worked and why. It counts against mistakes of the same pattern.",
  effect: "write",
  surfaces: ["cli", "http", "mcp"],
  input: z.object({ ...entryInput, why: text("why it worked") }),
  positional: ["what"],
  freeText: true,
  expects: ["pattern"],
  output: entered,
  run: async (ctx, input) =>
    recordedOut(ctx, "win", await recordWin(ctx, { ...input, ...resolveWorkspaceAndSession(ctx.actor, input) })),
  render: renderEntry,
});

const list = defineOperation({
  name: "ledger list",
  summary: "Lists the counts of each pattern and the newest mistakes and wins.",
  effect: "touches",
  prepare: ["markers"],
  byWorkspace: true,
  input: z.object({
    pattern: z.string().optional().describe("only this pattern, under any of its names"),
    workspace: workspaceInput("only entries shown in this folder"),
    ...rangeInput,
    limit: limitInput(10),
  }),
  output: z.object({ patterns: z.array(standingShape), entries: z.array(entryShape) }),
  run: async ({ db, clock }, input) => {
    const isMeant = (name: string) => input.pattern === undefined || patternKey(name) === patternKey(input.pattern);
    // Entries without a workspace appear in every folder.
    const range = readRange(input);
    const isThere = (one: LedgerEntry) =>
      touchesRange(range, one.at) &&
      (input.workspace === undefined || one.workspace === null || folderCovers(input.workspace, one.workspace));
    const mistakes = (await listMistakes(db)).filter(isThere);
    const wins = (await listWins(db)).filter(isThere);
    const counts = countPatterns(mistakes, wins).filter((one) => isMeant(one.pattern));
    const entries = [...mistakes.map((one) => entryOut("mistake", one)), ...wins.map((one) => entryOut("win", one))];
    return {
      patterns: counts
        .map((one) => computePatternTrend(one, clock.now()))
        .toSorted((a, b) => b.balance - a.balance || b.mistakes - a.mistakes || (a.pattern < b.pattern ? -1 : 1)),
      entries: entries
        .filter((one) => isMeant(one.pattern))
        .toSorted((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1))
        .slice(0, input.limit),
    };
  },
  render: ({ patterns, entries }) =>
    patterns.length === 0
      ? "The ledger is empty. `oldhand mistake` and `oldhand win` write into it."
      : [
          ...patterns.map(formatTrend),
          "",
          ...entries.map(
            (one) =>
              `${one.at.slice(0, 16)}  ${one.id}  ${one.kind.padEnd(7)} ${one.pattern}: ${oneLine(one.what, 100)}${one.signal === null ? "" : `\n    signal: ${oneLine(one.signal, 140)}`}`,
          ),
        ].join("\n"),
});

const forgetEntry = defineOperation({
  name: "ledger forget",
  summary: "Deletes a ledger entry and its text. This cannot be undone.",
  effect: "destroys",
  surfaces: ["cli"],
  input: z.object({ entry: z.string().min(1).describe("the entry's id, as in `oldhand ledger`, or its beginning") }),
  positional: ["entry"],
  output: forgottenShape,
  run: async (ctx, input) => {
    const noun = /^(mk|wn)_/.exec(input.entry)?.[1];
    if (noun === undefined) {
      throw new OldhandError("not-found", `there is no ledger entry ${input.entry}`, {
        hint: "oldhand ledger lists them",
      });
    }
    const because = makeProvenance(ctx, "ledger forget");
    const id = await resolveId(ctx.db, noun === "mk" ? "mistakes" : "wins", input.entry);
    if (noun === "mk") await forgetSubject(ctx.db, { noun: mistakeNoun, id }, because);
    else await forgetSubject(ctx.db, { noun: winNoun, id }, because);
    return finishForgetting(ctx, id);
  },
  render: formatForgotten,
});

export const ledgerOperations = [mistake, win, list, forgetEntry] as const;

/**
 * Without `everywhere`, an entry belongs to the current workspace. An agent's always does: what holds in other
 * workspaces is for their owner to say. An agent's session comes from its actor, which it cannot choose.
 */
function resolveWorkspaceAndSession(
  actor: Actor,
  {
    workspace,
    everywhere,
    session,
  }: Pick<NewLedgerEntry, "workspace" | "session"> & { readonly everywhere?: boolean | undefined },
): Pick<NewLedgerEntry, "workspace" | "session"> {
  if (everywhere && workspace !== undefined)
    throw new OldhandError("usage", "an entry belongs to one folder or to all, not both");
  const known = actor.kind === "agent" ? (hostOfAgent(actor).session ?? undefined) : undefined;
  const isWide = everywhere === true && actor.kind !== "agent";
  return { workspace: isWide ? undefined : (workspace ?? resolveTypedWorkspace(".")), session: known ?? session };
}

function recordedOut(
  { actor, clock }: Pick<Context, "actor" | "clock">,
  kind: "mistake" | "win",
  made: RecordedEntry<LedgerEntry>,
): z.infer<typeof entered> {
  const entry = entryOut(kind, made.entry);
  return {
    entry,
    change: made.change.id,
    standing: computePatternTrend(made.count, clock.now()),
    near: [...made.near],
    note: entry.session === null && actor.kind === "agent" ? NO_SESSION : null,
  };
}

const NO_SESSION =
  "The host does not say which session this is, so the entry belongs to no session. Pass `session` if you know it.";

function entryOut(kind: "mistake" | "win", entry: LedgerEntry & Partial<Mistake>): z.infer<typeof entryShape> {
  const { id, what, why, pattern, origin, session, workspace, expectation } = entry;
  return {
    kind,
    id,
    at: iso(entry.at),
    what,
    why,
    pattern,
    origin,
    session,
    workspace,
    expectation,
    // A missing text is stored as an empty string.
    shouldHave: entry.shouldHave || null,
    severity: entry.severity ?? null,
    signal: entry.signal || null,
  };
}

function renderEntry({ entry, change, standing, near, note }: z.infer<typeof entered>): string {
  return [
    `${entry.id}  ${entry.kind}: ${oneLine(entry.what)}`,
    formatTrend(standing),
    ...(near.length > 0 ? [`New pattern. Similar patterns: ${near.join(", ")}.`] : []),
    ...formatMissing(entry),
    ...(note === null ? [] : [note]),
    formatUndoHint([change]),
  ].join("\n");
}

/** The flags that were left out, in one line, and why they matter. */
function formatMissing({ kind, why, shouldHave, signal }: z.infer<typeof entryShape>): readonly string[] {
  if (kind === "win") return [];
  const unsaid = [
    ...(why === "" ? ["--why"] : []),
    ...(shouldHave === null ? ["--should-have"] : []),
    ...(signal === null ? ["--signal"] : []),
  ];
  if (unsaid.length === 0) return [];
  return [
    `Left out: ${unsaid.join(", ")}.${shouldHave === null ? " Without --should-have, a rule from these mistakes cannot say what to do." : ""}`,
  ];
}

function formatTrend(one: PatternTrend): string {
  const streak = one.streak.length > 1 ? `, ${plural(one.streak.length, one.streak.kind)} in a row` : "";
  const quiet = one.quietDays === null ? "" : `, last mistake ${plural(one.quietDays, "day")} ago`;
  return `${one.pattern}: ${plural(one.mistakes, "mistake")}, ${plural(one.wins, "win")} (${one.balance > 0 ? "+" : ""}${one.balance})${streak}${quiet}`;
}
