import { z } from "zod";
import type { Context } from "../../context.ts";
import { isOwner } from "../../domain/actor.ts";
import { requireGranted } from "../../domain/decision.ts";
import * as decisions from "../../domain/identity/decisions.ts";
import {
  identityFiles,
  identityNames,
  type IdentityName,
  parseSections,
  withPoint,
} from "../../domain/identity/identity.ts";
import { renderEntries } from "../../domain/memory/memory-file.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { splitLines } from "../../lib/line-diff.ts";
import { percent } from "../../lib/percent.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { toMindText, composeIdentity, loadIdentity } from "../../recall/identity/identity.ts";
import { syncIdentityFiles } from "../../recall/identity/identity-files.ts";
import { computeFileDrift, readGrowthLog } from "../../recall/identity/identity-past.ts";
import { type MemoryFileState, syncMemoryFiles } from "../../recall/identity/memory-files.ts";
import { proposeIdentity } from "../../record/identity-proposals.ts";
import { identityNoun } from "../../store/nouns/identities.ts";
import { listIdentityProposals } from "../../store/nouns/identity-proposals.ts";
import { makeProvenance, applyChange } from "../../store/journal/journal.ts";
import { changeOut, changeShape, limitInput, formatUndoHint } from "../shared/shapes.ts";

/** The change of a file: the whole text, or one point to add to a section. */
export const identityTextInput = {
  file: z.enum(identityNames).default("SOUL.md").describe("which file"),
  text: z.string().min(1).max(100_000).optional().describe("the whole new text"),
  section: z.string().trim().min(1).max(200).optional().describe("the section to add to"),
  add: z.string().trim().min(1).max(2_000).optional().describe("one point to add"),
};

export interface IdentityTextInput {
  readonly file: IdentityName;
  readonly text?: string | undefined;
  readonly section?: string | undefined;
  readonly add?: string | undefined;
}

/** The edit that this input describes; null if it describes none. */
export function makeTextEdit(input: IdentityTextInput): ((text: string) => string) | null {
  const { text, section, add } = input;
  if (text !== undefined && add !== undefined)
    throw new OldhandError("usage", "give the whole text or one point, not both", { hint: "--text or --add" });
  if (text !== undefined) return () => `${text.replaceAll("\r\n", "\n").trimEnd()}\n`;
  if (add === undefined) return null;
  return (before) => withPoint(before, section ?? parseSections(before).at(-1)?.title ?? "Notes", add);
}

const show = defineOperation({
  name: "soul show",
  summary:
    "Shows the identity files, the text a session starts with, and refused attempts to change protected sections.",
  effect: "touches",
  input: z.object({}),
  output: z.object({
    files: z.array(
      z.object({
        name: z.enum(identityFiles),
        path: z.string(),
        text: z.string().nullable(),
        protected: z.array(z.string()),
        guarded: z
          .array(z.object({ from: z.number(), to: z.number() }))
          .describe("line ranges that are protected, counted from 0; `to` is exclusive"),
        did: z.enum(["nothing", "read back", "written", "left"]),
      }),
    ),
    identity: z.string().describe("the text that a session starts with"),
    limit: z.number(),
    cut: z.boolean(),
    open: z.number().describe("number of proposals that wait for a decision"),
    attempts: z.array(
      z.object({ id: z.string(), at: z.string(), file: z.string(), actor: z.string(), refusal: z.string() }),
    ),
  }),
  run: async (ctx) => {
    const user = makeUserFile(await syncMemoryFiles(ctx));
    const files = [...(await syncIdentityFiles(ctx)), user].toSorted(
      (one, other) => identityFiles.indexOf(one.name) - identityFiles.indexOf(other.name),
    );
    const most = ctx.config.policy.recall.identityCharacters;
    const parts = await loadIdentity(ctx);
    const identity = composeIdentity(parts, most);
    const proposals = await listIdentityProposals(ctx.db);
    return {
      files: files.map((file) => ({ ...file, ...findProtection(file.name, file.text ?? "") })),
      identity,
      limit: most,
      cut: identity !== composeIdentity(parts, Infinity),
      open: proposals.filter((one) => one.status === "open").length,
      attempts: proposals
        .filter((one) => one.status === "refused")
        .map(({ id, createdAt, file, actor, refusal }) => ({
          id,
          at: iso(createdAt),
          file,
          actor,
          refusal: refusal ?? "",
        })),
    };
  },
  isNegative: ({ identity }) => identity === "",
  render: ({ files, identity, limit: most, cut, open, attempts }) =>
    identity === ""
      ? "There is no identity yet. `oldhand init` makes one."
      : [
          identity,
          "",
          `${identity.length} of ${most} characters${cut ? ", cut: make the files shorter, or raise recall.identityCharacters" : ""}`,
          ...files.map((file) => {
            const guarded = file.protected.length === 0 ? "" : `  protected: ${file.protected.join(", ")}`;
            const did = file.did === "nothing" ? "" : `  (${file.did})`;
            return `${file.text === null ? "none   " : "       "}${file.path}${file.text === null ? "" : guarded}${did}`;
          }),
          ...(open > 0 ? [`${plural(open, "proposal")} to decide: oldhand soul proposals`] : []),
          ...attempts.map((one) => `refused ${one.at}  ${one.actor}  ${one.id}  ${one.refusal}`),
        ].join("\n"),
});

const edit = defineOperation({
  name: "soul edit",
  summary: "Changes an identity file. Without a text it prints the file's path, to edit by hand.",
  effect: "write",
  input: z.object({
    ...identityTextInput,
    reason: z.string().trim().min(1).max(500).optional().describe("the reason, for the growth log"),
    base: z
      .string()
      .max(100_000)
      .optional()
      .describe("the text you started from; changes made to the file since then are kept"),
  }),
  positional: ["file"],
  output: z.object({ file: z.string(), path: z.string(), change: changeShape.nullable() }),
  run: async (ctx, input) => {
    const path = (await syncBeforeOperation(ctx)).find((one) => one.name === input.file)?.path ?? "";
    const next = makeTextEdit(input);
    if (next === null) return { file: input.file, path, change: null };
    const reason = input.reason ?? "edited by its owner";
    if (!isOwner(ctx.actor)) {
      // Others may only propose; what they may not propose either is stored as a refused attempt.
      const made = await proposeIdentity(ctx, { file: input.file, next, reason, origin: "agent" });
      throw new OldhandError("refused", made.refusal ?? "only the owner edits the identity", {
        hint: made.status === "open" ? `kept as proposal ${made.id}` : `kept as a refused attempt, ${made.id}`,
      });
    }
    const of = { noun: identityNoun, id: input.file };
    const made = await applyChange(ctx.db, of, makeProvenance(ctx, "soul edit", reason), (now) =>
      requireGranted(decisions.editIdentity({ id: input.file }, now?.text ?? "", { next, base: input.base })),
    );
    await syncIdentityFiles(ctx);
    return { file: input.file, path, change: made && changeOut(made) };
  },
  render: ({ path, change: made }) =>
    made === null
      ? `${path}\nEdit it with any editor. oldhand reads your changes and treats them as the owner's.`
      : `${made.summary} ${formatUndoHint([made.id])}`,
});

const drift = defineOperation({
  name: "soul drift",
  summary: "Compares the identity files with their first version: changed lines, words and sections over time.",
  effect: "touches",
  prepare: ["owner-edits", "identity-edits"],
  input: z.object({}),
  output: z.object({
    files: z.array(
      z.object({
        file: z.string(),
        since: z.string(),
        versions: z.number(),
        lines: z.number().describe("share of changed lines, 0 to 1"),
        words: z.number().describe("share of changed words, 0 to 1"),
        added: z.number(),
        removed: z.number(),
        sections: z.object({ added: z.array(z.string()), removed: z.array(z.string()), changed: z.array(z.string()) }),
        course: z.array(z.object({ at: z.string(), change: z.number(), words: z.number() })),
      }),
    ),
  }),
  run: async (ctx) => {
    return {
      files: (await computeFileDrift(ctx.db)).map(({ file, since, versions, drift: far, course }) => ({
        file,
        since: iso(since),
        versions,
        ...far,
        sections: {
          added: [...far.sections.added],
          removed: [...far.sections.removed],
          changed: [...far.sections.changed],
        },
        course: course.map((one) => ({ ...one, at: iso(one.at) })),
      })),
    };
  },
  render: ({ files }) =>
    files.length === 0
      ? "There is no identity yet. `oldhand init` makes one."
      : files
          .map((one) =>
            [
              `${one.file}: ${percent(one.words)} of words and ${percent(one.lines)} of lines differ from ${one.since} (+${one.added} −${one.removed}, ${plural(one.versions, "version")})`,
              ...(["added", "removed", "changed"] as const)
                .filter((kind) => one.sections[kind].length > 0)
                .map((kind) => `  sections ${kind}: ${one.sections[kind].join(", ")}`),
            ].join("\n"),
          )
          .join("\n"),
});

const log = defineOperation({
  name: "soul log",
  summary: "Lists every change of the identity with its reason, newest first (the growth log).",
  effect: "touches",
  prepare: ["owner-edits", "identity-edits"],
  input: z.object({ limit: limitInput(50) }),
  output: z.object({
    entries: z.array(
      z.object({
        change: z.number(),
        at: z.string(),
        file: z.string(),
        actor: z.string(),
        reason: z.string(),
        added: z.number(),
        removed: z.number(),
        undoneBy: z.number().nullable(),
      }),
    ),
  }),
  run: async (ctx, input) => {
    return {
      entries: (await readGrowthLog(ctx.db)).slice(0, input.limit).map(({ change: one, ...rest }) => ({
        ...rest,
        change: one.id,
        at: iso(one.at),
        actor: one.actor,
        undoneBy: one.undoneBy,
      })),
    };
  },
  render: ({ entries }) =>
    entries.length === 0
      ? "Nothing has changed yet."
      : entries
          .map(
            (one) =>
              `${String(one.change).padStart(5)}  ${one.at}  ${one.actor}  ${one.file} +${one.added} −${one.removed}  ${one.reason}${one.undoneBy === null ? "" : `  undone by ${one.undoneBy}`}`,
          )
          .join("\n"),
});

export const soulOperations = [show, edit, drift, log] as const;

/** Reads the owner's edits of the files before anything is shown or changed. */
async function syncBeforeOperation(ctx: Context) {
  await syncMemoryFiles(ctx);
  return syncIdentityFiles(ctx);
}

/** USER.md is made from memories; secrets are removed, as in the other files. */
function makeUserFile(states: readonly MemoryFileState[]) {
  const found = states.find((one) => one.name === "USER.md");
  const text = toMindText(renderEntries(found?.entries ?? []));
  const did = found?.readBack ? "read back" : found?.written ? "written" : found?.over ? "left" : "nothing";
  return { name: "USER.md", path: found?.path ?? "", text: text === "" ? null : text, did } as const;
}

function findProtection(name: string, text: string) {
  if (name === "SHIELD.md")
    return { protected: ["(the whole file)"], guarded: text === "" ? [] : [{ from: 0, to: splitLines(text).length }] };
  // § lines and headings have no meaning in USER.md, which is made from memories.
  const sections = name === "USER.md" ? [] : parseSections(text).filter((one) => one.protected);
  return {
    protected: sections.map((one) => one.title),
    guarded: sections.map((one) => ({ from: one.at, to: one.at + splitLines(one.text).length })),
  };
}
