import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import type { Context } from "../context.ts";
import { approve, retire } from "../domain/rule/decisions.ts";
import { unclearText, unknownParts } from "../domain/rule/matcher.ts";
import { type Rule, ruleStatuses, stands } from "../domain/rule/rule.ts";
import { saysTheSame, takenIn, teamMark, type TeamRule, toTeam } from "../domain/rule/team-rule.ts";
import { OldhandError } from "../lib/errors.ts";
import { plural } from "../lib/text.ts";
import { operation } from "../operation.ts";
import { by, changeAll, changesOf, type Planned, planned, underLock } from "../store/journal.ts";
import { listRules, ruleNoun } from "../store/rules.ts";
import { workspaceAt } from "./export.ts";
import { readMarks, readTeamFolder, teamFolder, writeMarks } from "./team-files.ts";

const ruleLine = z
  .object({
    id: z.string(),
    text: z.string(),
    scope: z.enum(["global", "workspace"]),
    status: z.enum(ruleStatuses).describe("here, from now on"),
    file: z.string().nullable(),
  })
  .meta({ id: "TeamRuleLine" });

const importRules = operation({
  name: "import-rules",
  summary:
    "Takes in the rules that a team keeps in its repository. They say nothing until you approve them; the same again changes nothing.",
  effect: "write",
  surfaces: ["cli"],
  input: z.object({
    folder: z.string().default(".").describe("the repository, or the folder with the files"),
    approve: z.boolean().default(false).describe("they are your word too: in force at once, as hard as the files say"),
    prune: z.boolean().default(false).describe("retire rules whose files are gone"),
  }),
  positional: ["folder"],
  isOwnersAlone: ({ approve: isApproving, prune }) => isApproving || prune,
  output: z.object({
    workspace: z.string(),
    folder: z.string(),
    made: z.array(ruleLine),
    changed: z.array(ruleLine.extend({ was: z.string() })),
    approved: z.array(ruleLine),
    retired: z.array(ruleLine),
    gone: z.array(ruleLine).describe("their files are no longer there; --prune retires them"),
    kept: z.array(ruleLine).describe("changed here since, or forgotten here: the file is the older one"),
    same: z.number(),
    unclear: z
      .array(z.object({ file: z.string(), parts: z.array(z.string()) }))
      .describe("parts of matchers that this version cannot read: these rules match no call"),
    problems: z.array(z.object({ file: z.string(), why: z.string() })),
  }),
  run: takeIn,
  isNegative: ({ problems }) => problems.length > 0,
  render: (out) =>
    [
      ...out.made.map((one) => `new       ${one.id}  ${one.text}${one.scope === "global" ? " (everywhere)" : ""}`),
      ...out.changed.map((one) => `changed   ${one.id}  ${one.text}\n          was: ${one.was}`),
      ...out.approved.map((one) => `approved  ${one.id}  ${one.text}`),
      ...out.retired.map((one) => `retired   ${one.id}  ${one.text}`),
      ...out.gone.map((one) => `gone      ${one.id}  ${one.text} (--prune retires it)`),
      ...out.kept.map((one) => `kept      ${one.id}  ${one.text} (the file is older)`),
      ...out.unclear.map((one) => `unclear   ${one.file}: ${unclearText(one.parts)}`),
      ...out.problems.map((one) => `left out  ${one.file}: ${one.why}`),
      closing(out),
    ].join("\n"),
});

export const importRulesOperations = [importRules] as const;

interface Wish {
  readonly folder: string;
  readonly approve: boolean;
  readonly prune: boolean;
}

type TeamFiles = ReturnType<typeof readTeamFolder>["files"];
type Line = z.infer<typeof ruleLine>;

async function takeIn(ctx: Context, wish: Wish) {
  const { folder, workspace } = placeOf(wish.folder);
  const { files, problems } = readTeamFolder(folder);
  if (wish.prune) refuseUnread(folder, problems);
  const told = await underLock(ctx.db, (db) => agree({ ...ctx, db }, workspace, files, wish));
  const { same, ...lists } = told;
  const unclear = [...files.values()].flatMap(({ name, rule }) => {
    const parts = rule.matcher === null ? [] : unknownParts(rule.matcher);
    return parts.length === 0 ? [] : [{ file: name, parts: [...parts] }];
  });
  return { workspace, folder, ...lists, same: same.length, unclear, problems: [...problems] };
}

/** Files and mind, made one; read and written under one lock. */
async function agree(ctx: Context, workspace: string, files: TeamFiles, wish: Wish) {
  const rules = new Map((await listRules(ctx.db)).map((rule) => [rule.id, rule]));
  const marks = await readMarks(ctx.db, workspace);
  const next: Record<string, string> = { ...marks };
  const told = newTold();
  const changes: Planned[] = [];
  for (const [id, { name, rule: file }] of files) {
    const known = rules.get(id) ?? null;
    const isNews = marks[id] !== teamMark(file);
    const verdict = judge(file, known, { isNews, wasHere: known === null && (await wasHere(ctx, id, isNews)) });
    next[id] = teamMark(file);
    const after = ruleAfter(verdict, file, { known, workspace, wish });
    if (after !== null) changes.push(ruleAs(ctx, after, name));
    const { text, scope } = file;
    told.add(verdict === "same" && after !== null ? "approved" : verdict, {
      ...{ id, text, scope, file: name, was: known?.text ?? "" },
      status: after?.status ?? known?.status ?? "retired",
    });
  }
  for (const rule of [...rules.values()].filter((one) => one.id in marks && !files.has(one.id) && stands(one))) {
    const after = wish.prune ? retire(rule) : rule;
    const { id, text, status } = after;
    told.add(wish.prune ? "retired" : "gone", { id, text, status, scope: rule.scope.kind, file: null, was: "" });
    if (!wish.prune) continue;
    changes.push(ruleAs(ctx, after, "its file is gone"));
    delete next[id];
  }
  await changeAll(ctx.db, changes);
  await writeMarks(ctx.db, workspace, next);
  return told.lists;
}

type Verdict = "made" | "changed" | "kept" | "same";

/** Whoever changed since they last agreed is right; where both did, the file is. */
function judge(
  file: TeamRule,
  known: Rule | null,
  { isNews, wasHere: answered }: { readonly isNews: boolean; readonly wasHere: boolean },
): Verdict {
  if (known === null) return answered ? "kept" : "made";
  if (saysTheSame(file, toTeam(known))) return "same";
  return isNews ? "changed" : "kept";
}

/** Null where nothing changes. */
function ruleAfter(
  verdict: Verdict,
  file: TeamRule,
  { known, workspace, wish }: { readonly known: Rule | null; readonly workspace: string; readonly wish: Wish },
): Rule | null {
  if (verdict === "kept") return null;
  if (verdict !== "same") return vouched(takenIn(file, workspace, known), file, wish);
  const waits = known?.origin === "external" && known.status === "candidate";
  return known !== null && waits && wish.approve ? vouched(known, file, wish) : null;
}

function newTold() {
  const lists = {
    made: [] as Line[],
    changed: [] as (Line & { was: string })[],
    approved: [] as Line[],
    retired: [] as Line[],
    gone: [] as Line[],
    kept: [] as Line[],
    same: [] as Line[],
  };
  return {
    lists,
    add: (list: keyof typeof lists, { was, ...line }: Line & { was: string }) => {
      if (list === "changed") lists.changed.push({ ...line, was });
      else lists[list].push(line);
    },
  };
}

/** A file that cannot be read may be the one that seems to be missing. */
function refuseUnread(folder: string, problems: readonly { readonly file: string; readonly why: string }[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new OldhandError(
    "input",
    `${plural(problems.length, "file")} in ${folder} cannot be read: ${first.file}: ${first.why}`,
    { hint: "mend it first; with --prune nothing is taken in or retired before that" },
  );
}

/** Forgotten, or its coming undone: the owner has answered this file, and it has not changed since. */
async function wasHere(ctx: Context, id: string, isNews: boolean): Promise<boolean> {
  const past = await changesOf(ctx.db, "rule", id);
  return past.some((change) => change.scrubbed) || (past.length > 0 && !isNews);
}

function vouched(rule: Rule, file: TeamRule, wish: Wish): Rule {
  if (!wish.approve) return rule;
  return approve(rule, file.level);
}

function ruleAs(ctx: Context, rule: Rule, note: string): Planned {
  return planned(ruleNoun, rule.id, by(ctx, { kind: "import", id: "import-rules" }, note), () => rule);
}

/** The repository, anything in it, or the folder itself. */
function placeOf(path: string): { readonly folder: string; readonly workspace: string } {
  const given = resolve(path);
  const isFolderItself = basename(given) === "rules" && basename(dirname(given)) === ".oldhand";
  const workspace = workspaceAt(isFolderItself ? dirname(dirname(given)) : given);
  const own = isFolderItself || existsSync(teamFolder(given)) ? given : null;
  const folder = isFolderItself ? given : teamFolder(own ?? workspace);
  if (!existsSync(folder))
    throw new OldhandError("input", `there is no folder ${folder}`, {
      hint: "oldhand export --team --write makes it from the rules of this mind",
    });
  return { folder, workspace };
}

function closing(out: {
  readonly made: readonly Line[];
  readonly changed: readonly Line[];
  readonly approved: readonly Line[];
  readonly same: number;
}): string {
  const taken = [...out.made, ...out.changed, ...out.approved];
  if (taken.length === 0) return `${plural(out.same, "rule")} as before.`;
  const waits = taken.some((one) => one.status === "candidate");
  return `${plural(taken.length, "rule")} taken in.${waits ? " What came from outside says nothing until you approve it: oldhand rules approve ID" : ""}`;
}
