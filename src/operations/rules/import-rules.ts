import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { approveRule, retireRule } from "../../domain/rule/decisions.ts";
import { describeUnknownParts, unknownParts } from "../../domain/rule/matching/matcher.ts";
import { type Rule, ruleStatuses, isActive } from "../../domain/rule/rule.ts";
import { hasSameContent, adoptTeamRule, hashTeamRule, type TeamRule, toTeamRule } from "../../domain/rule/team-rule.ts";
import { OldhandError } from "../../lib/errors.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import {
  makeProvenance,
  applyAllChanges,
  listChangesOf,
  type PlannedChange,
  planChange,
  withJournalLock,
} from "../../store/journal/journal.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { resolveWorkspace } from "./export.ts";
import { readTeamFileHashes, readTeamFolder, getTeamFolder, writeTeamFileHashes } from "./team-files.ts";

const ruleLine = z
  .object({
    id: z.string(),
    text: z.string(),
    scope: z.enum(["global", "workspace"]),
    status: z.enum(ruleStatuses).describe("here, from now on"),
    file: z.string().nullable(),
  })
  .meta({ id: "TeamRuleLine" });

const importRules = defineOperation({
  name: "import-rules",
  summary:
    "Imports the rules that a team keeps in its repository. They say nothing until you approve them. Importing them twice changes nothing.",
  effect: "write",
  surfaces: ["cli"],
  input: z.object({
    folder: z.string().default(".").describe("the repository, or the folder with the files"),
    approve: z.boolean().default(false).describe("approve them at once, at the levels that the files give"),
    prune: z.boolean().default(false).describe("retire rules whose files were deleted"),
  }),
  positional: ["folder"],
  isOwnerOnly: ({ approve: isApproving, prune }) => isApproving || prune,
  output: z.object({
    workspace: z.string(),
    folder: z.string(),
    made: z.array(ruleLine),
    changed: z.array(ruleLine.extend({ was: z.string() })),
    approved: z.array(ruleLine),
    retired: z.array(ruleLine),
    gone: z.array(ruleLine).describe("rules whose files were deleted; --prune retires them"),
    kept: z.array(ruleLine).describe("rules that were changed or forgotten here later than the file"),
    same: z.number(),
    unclear: z
      .array(z.object({ file: z.string(), parts: z.array(z.string()) }))
      .describe("matcher parts that this version does not know; these rules match no call"),
    problems: z.array(z.object({ file: z.string(), why: z.string() })),
  }),
  run: importTeamRules,
  isNegative: ({ problems }) => problems.length > 0,
  render: (out) =>
    [
      ...out.made.map((one) => `new       ${one.id}  ${one.text}${one.scope === "global" ? " (everywhere)" : ""}`),
      ...out.changed.map((one) => `changed   ${one.id}  ${one.text}\n          was: ${one.was}`),
      ...out.approved.map((one) => `approved  ${one.id}  ${one.text}`),
      ...out.retired.map((one) => `retired   ${one.id}  ${one.text}`),
      ...out.gone.map((one) => `gone      ${one.id}  ${one.text} (--prune retires it)`),
      ...out.kept.map((one) => `kept      ${one.id}  ${one.text} (the file is older)`),
      ...out.unclear.map((one) => `unclear   ${one.file}: ${describeUnknownParts(one.parts)}`),
      ...out.problems.map((one) => `left out  ${one.file}: ${one.why}`),
      formatClosing(out),
    ].join("\n"),
});

export const importRulesOperations = [importRules] as const;

interface ImportRulesOptions {
  readonly folder: string;
  readonly approve: boolean;
  readonly prune: boolean;
}

type TeamFiles = ReturnType<typeof readTeamFolder>["files"];
type ImportedRule = z.infer<typeof ruleLine>;

async function importTeamRules(ctx: Context, options: ImportRulesOptions) {
  const { folder, workspace } = resolveTeamFolder(options.folder);
  const { files, problems } = readTeamFolder(folder);
  if (options.prune) refuseUnreadable(folder, problems);
  const result = await withJournalLock(ctx.db, (db) => syncTeamRules({ ...ctx, db }, workspace, files, options));
  const { same, ...lists } = result;
  const unclear = [...files.values()].flatMap(({ name, rule }) => {
    const parts = rule.matcher === null ? [] : unknownParts(rule.matcher);
    return parts.length === 0 ? [] : [{ file: name, parts: [...parts] }];
  });
  return { workspace, folder, ...lists, same: same.length, unclear, problems: [...problems] };
}

/** Synchronises files and mind; reads and writes under one lock. */
async function syncTeamRules(ctx: Context, workspace: string, files: TeamFiles, options: ImportRulesOptions) {
  const rules = new Map((await listRules(ctx.db)).map((rule) => [rule.id, rule]));
  const hashes = await readTeamFileHashes(ctx.db, workspace);
  const next: Record<string, string> = { ...hashes };
  const result = newImportResult();
  const changes: PlannedChange[] = [];
  for (const [id, { name, rule: file }] of files) {
    const known = rules.get(id) ?? null;
    const isNews = hashes[id] !== hashTeamRule(file);
    const verdict = judgeFile(file, known, { isNews, wasHere: known === null && (await wasHere(ctx, id, isNews)) });
    next[id] = hashTeamRule(file);
    const after = makeRuleAfter(verdict, file, { known, workspace, options });
    if (after !== null) changes.push(planRuleChange(ctx, after, name));
    const { text, scope } = file;
    result.add(verdict === "same" && after !== null ? "approved" : verdict, {
      ...{ id, text, scope, file: name, was: known?.text ?? "" },
      status: after?.status ?? known?.status ?? "retired",
    });
  }
  for (const rule of [...rules.values()].filter((one) => one.id in hashes && !files.has(one.id) && isActive(one))) {
    const after = options.prune ? retireRule(rule) : rule;
    const { id, text, status } = after;
    result.add(options.prune ? "retired" : "gone", { id, text, status, scope: rule.scope.kind, file: null, was: "" });
    if (!options.prune) continue;
    changes.push(planRuleChange(ctx, after, "its file was deleted"));
    delete next[id];
  }
  await applyAllChanges(ctx.db, changes);
  await writeTeamFileHashes(ctx.db, workspace, next);
  return result.lists;
}

type Verdict = "made" | "changed" | "kept" | "same";

/** The side that changed since they last agreed wins; if both did, the file wins. */
function judgeFile(
  file: TeamRule,
  known: Rule | null,
  { isNews, wasHere: isDecided }: { readonly isNews: boolean; readonly wasHere: boolean },
): Verdict {
  if (known === null) return isDecided ? "kept" : "made";
  if (hasSameContent(file, toTeamRule(known))) return "same";
  return isNews ? "changed" : "kept";
}

/** Null if nothing changes. */
function makeRuleAfter(
  verdict: Verdict,
  file: TeamRule,
  {
    known,
    workspace,
    options,
  }: { readonly known: Rule | null; readonly workspace: string; readonly options: ImportRulesOptions },
): Rule | null {
  if (verdict === "kept") return null;
  if (verdict !== "same") return approveIfVouched(adoptTeamRule(file, workspace, known), file, options);
  const waits = known?.origin === "external" && known.status === "candidate";
  return known !== null && waits && options.approve ? approveIfVouched(known, file, options) : null;
}

function newImportResult() {
  const lists = {
    made: [] as ImportedRule[],
    changed: [] as (ImportedRule & { was: string })[],
    approved: [] as ImportedRule[],
    retired: [] as ImportedRule[],
    gone: [] as ImportedRule[],
    kept: [] as ImportedRule[],
    same: [] as ImportedRule[],
  };
  return {
    lists,
    add: (list: keyof typeof lists, { was, ...line }: ImportedRule & { was: string }) => {
      if (list === "changed") lists.changed.push({ ...line, was });
      else lists[list].push(line);
    },
  };
}

/** With --prune an unreadable file could be taken for a missing one. */
function refuseUnreadable(folder: string, problems: readonly { readonly file: string; readonly why: string }[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new OldhandError(
    "input",
    `${plural(problems.length, "file")} in ${folder} cannot be read: ${first.file}: ${first.why}`,
    { hint: "correct it first; with --prune nothing is imported or retired until then" },
  );
}

/** True if the owner forgot the rule or undid its import, and the file has not changed since. */
async function wasHere(ctx: Context, id: string, isNews: boolean): Promise<boolean> {
  const past = await listChangesOf(ctx.db, "rule", id);
  return past.some((change) => change.scrubbed) || (past.length > 0 && !isNews);
}

function approveIfVouched(rule: Rule, file: TeamRule, options: ImportRulesOptions): Rule {
  if (!options.approve) return rule;
  return approveRule(rule, file.level);
}

function planRuleChange(ctx: Context, rule: Rule, note: string): PlannedChange {
  return planChange(ruleNoun, rule.id, makeProvenance(ctx, { kind: "import", id: "import-rules" }, note), () => rule);
}

/** Accepts the repository, any folder in it, or the rules folder itself. */
function resolveTeamFolder(path: string): { readonly folder: string; readonly workspace: string } {
  const given = resolve(path);
  const isFolderItself = basename(given) === "rules" && basename(dirname(given)) === ".oldhand";
  const workspace = resolveWorkspace(isFolderItself ? dirname(dirname(given)) : given);
  const own = isFolderItself || existsSync(getTeamFolder(given)) ? given : null;
  const folder = isFolderItself ? given : getTeamFolder(own ?? workspace);
  if (!existsSync(folder))
    throw new OldhandError("input", `there is no folder ${folder}`, {
      hint: "oldhand export --team --write makes it from the rules of this mind",
    });
  return { folder, workspace };
}

function formatClosing(out: {
  readonly made: readonly ImportedRule[];
  readonly changed: readonly ImportedRule[];
  readonly approved: readonly ImportedRule[];
  readonly same: number;
}): string {
  const taken = [...out.made, ...out.changed, ...out.approved];
  if (taken.length === 0) return `${plural(out.same, "rule")} as before.`;
  const waits = taken.some((one) => one.status === "candidate");
  return `${plural(taken.length, "rule")} imported.${waits ? " They say nothing until you approve them: oldhand rules approve ID" : ""}`;
}
