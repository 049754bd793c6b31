import { z } from "zod";
import type { Context } from "../context.ts";
import { describeMistakes } from "../distil/report/describe-mistakes.ts";
import type { LedgerEntry } from "../domain/ledger/ledger.ts";
import { type Memory, memoryKinds } from "../domain/memory/memory.ts";
import { scopeCovers, levels, ruleStatuses } from "../domain/rule/rule.ts";
import { findBlockReason } from "../domain/trust/instruction-like.ts";
import { listCoveringFolders, folderCovers } from "../domain/workspace.ts";
import { iso } from "../lib/clock.ts";
import { oneLine } from "../lib/text.ts";
import { defineOperation } from "../operation.ts";
import { rankFailures } from "../store/derived/failures.ts";
import { findMemoriesContaining } from "../store/nouns/find-memories.ts";
import { listMistakes, listWins } from "../store/nouns/ledger.ts";
import { listRules } from "../store/nouns/rules.ts";
import { limitInput, workspaceInput } from "./shared/shapes.ts";

/** Searches this many of the most expensive mistakes. */
const MISTAKES = 100;
/** Memories read before those of other folders are filtered out. */
const MEMORIES = 200;
/** Texts are truncated to this length. */
const SHOWN = 200;

const find = defineOperation({
  name: "find",
  summary:
    "Rules, memories, repeated mistakes and ledger entries that contain all the words, or beginnings of words. `sessions search` looks through what was recorded.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["events", "markers", "owner-edits"],
  input: z.object({
    query: z.string().trim().min(1).max(500).describe("what to look for"),
    workspace: workspaceInput("only what holds or happened in this folder"),
    limit: limitInput(5).describe("at most so many of each"),
  }),
  positional: ["query"],
  freeText: true,
  output: z.object({
    rules: z.array(z.object({ id: z.string(), text: z.string(), status: z.enum(ruleStatuses), level: z.enum(levels) })),
    memories: z.array(z.object({ id: z.string(), text: z.string(), kind: z.enum(memoryKinds) })),
    mistakes: z.array(z.object({ signature: z.string(), text: z.string(), count: z.number() })),
    entries: z.array(
      z.object({
        kind: z.enum(["mistake", "win"]),
        id: z.string(),
        what: z.string(),
        pattern: z.string(),
        at: z.string(),
      }),
    ),
  }),
  run: async (ctx, input) => {
    const pieces = input.query.toLowerCase().split(/\s+/);
    const has = (...texts: readonly string[]) => {
      const text = texts.join("\n").toLowerCase();
      return pieces.every((piece) => text.includes(piece));
    };
    return {
      rules: await findRules(ctx, input, has),
      memories: await findMemories(ctx, input, pieces),
      mistakes: await findMistakes(ctx, input, has),
      entries: await findEntries(ctx, input, has),
    };
  },
  isNegative: (found) => Object.values(found).every((some) => some.length === 0),
  render: ({ rules, memories, mistakes, entries }) => {
    const lines = [
      ...rules.map((one) => `rule      ${one.id}  ${one.text}`),
      ...memories.map((one) => `memory    ${one.id}  ${one.text}`),
      ...mistakes.map((one) => `mistake   ${one.count} times  ${one.text}`),
      ...entries.map((one) => `ledger    ${one.id}  ${one.what} (${one.kind} of ${one.pattern})`),
    ];
    return lines.length === 0
      ? "Nothing contains these words. `oldhand sessions search` looks further."
      : lines.join("\n");
  },
});

export const findOperations = [find] as const;

type Wanted = { readonly workspace?: string | undefined; readonly limit: number };
type Has = (...texts: readonly string[]) => boolean;

async function findRules({ db }: Context, { workspace, limit: most }: Wanted, has: Has) {
  return (await listRules(db))
    .filter((rule) => workspace === undefined || scopeCovers(rule.scope, workspace))
    .filter((rule) => has(rule.text, rule.id))
    .toSorted((a, b) => b.confidence - a.confidence)
    .slice(0, most)
    .map(({ id, text, status, level }) => ({ id, text, status, level }));
}

async function findMemories({ db, within }: Context, { workspace, limit: most }: Wanted, pieces: readonly string[]) {
  // Blocked memories are not shown to agents here either.
  const canBeShown = (memory: Memory) => within === undefined || findBlockReason(memory) === null;
  const holds = ({ scope }: Memory) =>
    workspace === undefined ||
    scope.kind === "global" ||
    (scope.kind === "workspace" && listCoveringFolders(workspace).includes(scope.name));
  return (await findMemoriesContaining(db, pieces, MEMORIES))
    .filter((memory) => canBeShown(memory) && holds(memory))
    .slice(0, most)
    .map(({ id, text, kind }) => ({ id, text: oneLine(text, SHOWN), kind }));
}

async function findMistakes({ db, config }: Context, { workspace, limit: most }: Wanted, has: Has) {
  const filter = { workspace, within: config.policy.observe.recoveryWithin };
  const { groups } = await rankFailures(db, filter, MISTAKES);
  return (await describeMistakes(db, groups, filter))
    .filter((one) => has(one.text, one.tool, one.head ?? ""))
    .slice(0, most)
    .map(({ signature, text, count }) => ({ signature, text: oneLine(text, SHOWN), count }));
}

async function findEntries({ db }: Context, { workspace, limit: most }: Wanted, has: Has) {
  // Entries without a workspace appear in every folder.
  const isThere = (one: LedgerEntry) =>
    workspace === undefined || one.workspace === null || folderCovers(workspace, one.workspace);
  const all = [
    ...(await listMistakes(db)).map((one) => ({ ...one, kind: "mistake" as const })),
    ...(await listWins(db)).map((one) => ({ ...one, kind: "win" as const })),
  ];
  return all
    .filter((one) => isThere(one) && has(one.what, one.why, one.pattern))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, most)
    .map(({ kind, id, what, pattern, at }) => ({ kind, id, what: oneLine(what, SHOWN), pattern, at: iso(at) }));
}
