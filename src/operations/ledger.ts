import { z } from "zod";
import { distil } from "../distil/distil.ts";
import type { Context } from "../context.ts";
import { type Actor, hostOfAgent } from "../domain/actor.ts";
import {
  countPatterns,
  type Entry,
  type Mistake,
  severities,
  type Standing,
  standingOf,
} from "../domain/ledger/ledger.ts";
import { patternKey } from "../domain/ledger/pattern.ts";
import { origins } from "../domain/rule/rule.ts";
import { folderCovers } from "../domain/workspace.ts";
import { iso } from "../lib/clock.ts";
import { OldhandError } from "../lib/errors.ts";
import { oneLine, plural } from "../lib/text.ts";
import { folderOf } from "../observe/protocol/workspace.ts";
import { operation } from "../operation.ts";
import { type Entered, recordMistake, recordWin, type Told } from "../record/ledger.ts";
import { by, forget } from "../store/journal.ts";
import { listMistakes, listWins, mistakeNoun, winNoun } from "../store/ledger.ts";
import { afterForgetting, forgottenShape, forgottenText } from "./forgotten.ts";
import { limit, undoHint, workspaceInput } from "./shapes.ts";
import { wholeId } from "./whole-id.ts";

const text = (says: string) => z.string().trim().min(1).max(2_000).describe(says);

const told = {
  what: text("what happened"),
  pattern: z
    .string()
    .max(200)
    .optional()
    .describe("the name it is counted under, such as not-verifying; left out, those there are come back"),
  prediction: text("").optional().describe("what was expected"),
  outcome: text("").optional().describe("what came instead"),
  surprise: z.coerce.number<number>().min(0).max(1).optional().describe("how far apart the two were: 0 to 1"),
  session: z.string().optional().describe("the session it happened in"),
  workspace: workspaceInput("the folder it happened in, if not this one"),
  everywhere: z.boolean().optional().describe("not of one folder: told in all workspaces"),
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
    note: z.string().nullable().describe("said where an agent wrote it and nobody knows in which session"),
  })
  .meta({ id: "Entered" });

const mistake = operation({
  name: "mistake",
  on: "ledger",
  label: "Write a mistake",
  summary: "Writes a mistake into the ledger, with the signal that was there and was misread.",
  effect: "write",
  surfaces: ["cli", "http", "mcp"],
  input: z.object({
    ...told,
    pattern: told.pattern.describe(
      "the name it is counted under, such as not-verifying; if the owner leaves it out, it is made from WHAT",
    ),
    why: text("").optional().describe("why it happened"),
    shouldHave: text("").optional().describe("what would have been right"),
    signal: text("").optional().describe("what could be seen at the time, word for word: an output, a line, a file"),
    severity: z.enum(severities).default("medium").describe("how bad it was"),
  }),
  positional: ["what"],
  freeText: true,
  agentsGive: ["why", "shouldHave", "signal"],
  agentsExpect: ["pattern"],
  output: entered,
  run: async (ctx, input) => {
    const made = await recordMistake(ctx, { ...input, ...placeOf(ctx.actor, input) });
    // The one that fills the measure makes the rule: the next session has it, with nobody asked.
    await distil(ctx, { write: true, only: ["mistakes"] });
    return out(ctx, "mistake", made);
  },
  render: rendered,
});

const win = operation({
  name: "win",
  on: "ledger",
  label: "Write a win",
  summary: "Writes a win into the ledger: what worked and why; it counts against mistakes of its pattern.",
  effect: "write",
  surfaces: ["cli", "http", "mcp"],
  input: z.object({ ...told, why: text("why it worked") }),
  positional: ["what"],
  freeText: true,
  expects: ["pattern"],
  output: entered,
  run: async (ctx, input) => out(ctx, "win", await recordWin(ctx, { ...input, ...placeOf(ctx.actor, input) })),
  render: rendered,
});

const list = operation({
  name: "ledger list",
  summary: "Mistakes and wins: how each pattern stands, and the newest entries.",
  effect: "read",
  byWorkspace: true,
  input: z.object({
    pattern: z.string().optional().describe("only this one, whatever its name"),
    workspace: workspaceInput("only what is told in this folder"),
    limit: limit(10),
  }),
  output: z.object({ patterns: z.array(standingShape), entries: z.array(entryShape) }),
  run: async ({ db, clock }, input) => {
    const isMeant = (name: string) => input.pattern === undefined || patternKey(name) === patternKey(input.pattern);
    // What is of no folder is told in all of them.
    const isThere = (one: Entry) =>
      input.workspace === undefined || one.workspace === null || folderCovers(input.workspace, one.workspace);
    const mistakes = (await listMistakes(db)).filter(isThere);
    const wins = (await listWins(db)).filter(isThere);
    const counts = countPatterns(mistakes, wins).filter((one) => isMeant(one.pattern));
    const entries = [...mistakes.map((one) => shaped("mistake", one)), ...wins.map((one) => shaped("win", one))];
    return {
      patterns: counts
        .map((one) => standingOf(one, clock.now()))
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
          ...patterns.map(standingLine),
          "",
          ...entries.map(
            (one) =>
              `${one.at.slice(0, 16)}  ${one.id}  ${one.kind.padEnd(7)} ${one.pattern}: ${oneLine(one.what, 100)}${one.signal === null ? "" : `\n    signal: ${oneLine(one.signal, 140)}`}`,
          ),
        ].join("\n"),
});

const forgetEntry = operation({
  name: "ledger forget",
  summary: "Removes an entry of the ledger and its words, for good. Cannot be undone.",
  effect: "destroys",
  surfaces: ["cli"],
  input: z.object({ entry: z.string().min(1).describe("its id, as in `oldhand ledger`, or the beginning of it") }),
  positional: ["entry"],
  output: forgottenShape,
  run: async (ctx, input) => {
    const noun = /^(mk|wn)_/.exec(input.entry)?.[1];
    if (noun === undefined) {
      throw new OldhandError("not-found", `there is no ledger entry ${input.entry}`, {
        hint: "oldhand ledger lists them",
      });
    }
    const because = by(ctx, "ledger forget");
    const id = await wholeId(ctx.db, noun === "mk" ? "mistakes" : "wins", input.entry);
    if (noun === "mk") await forget(ctx.db, { noun: mistakeNoun, id }, because);
    else await forget(ctx.db, { noun: winNoun, id }, because);
    return afterForgetting(ctx, id);
  },
  render: forgottenText,
});

export const ledgerOperations = [mistake, win, list, forgetEntry] as const;

/** What happened in one project is not told in others. An agent in its shell is named after its host and its session. */
function placeOf(
  actor: Actor,
  {
    workspace,
    everywhere,
    session,
  }: Pick<Told, "workspace" | "session"> & { readonly everywhere?: boolean | undefined },
): Pick<Told, "workspace" | "session"> {
  if (everywhere && workspace !== undefined)
    throw new OldhandError("usage", "an entry is of one folder or of everywhere, not both");
  const known = actor.kind === "agent" ? (hostOfAgent(actor).session ?? undefined) : undefined;
  return { workspace: everywhere ? undefined : (workspace ?? folderOf(".")), session: session ?? known };
}

function out(
  { actor, clock }: Pick<Context, "actor" | "clock">,
  kind: "mistake" | "win",
  made: Entered<Entry>,
): z.infer<typeof entered> {
  const entry = shaped(kind, made.entry);
  return {
    entry,
    change: made.change.id,
    standing: standingOf(made.count, clock.now()),
    near: [...made.near],
    note: entry.session === null && actor.kind === "agent" ? NO_SESSION : null,
  };
}

const NO_SESSION =
  "The host does not tell which session this is: the entry is connected to none. Give `session` where you know it.";

function shaped(kind: "mistake" | "win", entry: Entry & Partial<Mistake>): z.infer<typeof entryShape> {
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
    // Not said is stored as an empty text.
    shouldHave: entry.shouldHave || null,
    severity: entry.severity ?? null,
    signal: entry.signal || null,
  };
}

function rendered({ entry, change, standing, near, note }: z.infer<typeof entered>): string {
  return [
    `${entry.id}  ${entry.kind}: ${oneLine(entry.what)}`,
    standingLine(standing),
    ...(near.length > 0 ? [`New pattern. Near it: ${near.join(", ")}.`] : []),
    ...unsaidLines(entry),
    ...(note === null ? [] : [note]),
    undoHint([change]),
  ].join("\n");
}

/** What a person left out in one line, by the names of the flags, and what it is good for. */
function unsaidLines({ kind, why, shouldHave, signal }: z.infer<typeof entryShape>): readonly string[] {
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

function standingLine(one: Standing): string {
  const streak = one.streak.length > 1 ? `, ${plural(one.streak.length, one.streak.kind)} in a row` : "";
  const quiet = one.quietDays === null ? "" : `, last mistake ${plural(one.quietDays, "day")} ago`;
  return `${one.pattern}: ${plural(one.mistakes, "mistake")}, ${plural(one.wins, "win")} (${one.balance > 0 ? "+" : ""}${one.balance})${streak}${quiet}`;
}
