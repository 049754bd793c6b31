import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import type { Context } from "../context.ts";
import { type Rule, ruleStatuses } from "../domain/rule.ts";
import { saysTheSame, takenIn, teamMark, type TeamRule, toTeam } from "../domain/team-rule.ts";
import { OldhandError } from "../lib/errors.ts";
import { plural } from "../lib/text.ts";
import { operation, type Operation } from "../operation.ts";
import { changeAll, changesOf, type Deed } from "../store/journal.ts";
import { listRules } from "../store/rules.ts";
import { workspaceAt } from "./export.ts";
import { readMarks, readTeamFolder, teamFolder, writeMarks } from "./team-files.ts";

const ruleLine = z.object({
  id: z.string(),
  text: z.string(),
  scope: z.enum(["global", "workspace"]),
  status: z.enum(ruleStatuses).describe("here, from now on"),
  file: z.string().nullable(),
});

const importRules = operation({
  name: "import-rules",
  summary:
    "Takes in the rules that a team keeps in its repository. They say nothing until you approve them; the same again changes nothing.",
  kind: "write",
  surfaces: ["cli"],
  input: z.object({
    folder: z.string().default(".").describe("the repository, or the folder with the files"),
    approve: z.boolean().default(false).describe("they are your word too: in force at once, as hard as the files say"),
    prune: z.boolean().default(false).describe("retire rules whose files are gone"),
  }),
  positional: ["folder"],
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
      ...out.problems.map((one) => `left out  ${one.file}: ${one.why}`),
      closing(out),
    ].join("\n"),
});

export const importRulesOperations: readonly Operation[] = [importRules];

interface Wish {
  readonly folder: string;
  readonly approve: boolean;
  readonly prune: boolean;
}

type Line = z.infer<typeof ruleLine>;

async function takeIn(world: Context, wish: Wish) {
  const { folder, workspace } = placeOf(wish.folder);
  const { files, problems } = readTeamFolder(folder);
  // A file that cannot be read may be the one that seems to be missing.
  if (wish.prune && problems.length > 0)
    throw new OldhandError(
      "input",
      `${plural(problems.length, "file")} in ${folder} cannot be read: ${problems[0]?.file}: ${problems[0]?.why}`,
      {
        hint: "mend it first; with --prune nothing is taken in or retired before that",
      },
    );
  const rules = new Map((await listRules(world.db)).map((rule) => [rule.id, rule]));
  const marks = await readMarks(world.db, workspace);
  const next: Record<string, string> = { ...marks };
  const out = {
    made: [] as Line[],
    changed: [] as (Line & { was: string })[],
    approved: [] as Line[],
    retired: [] as Line[],
    gone: [] as Line[],
    kept: [] as Line[],
  };
  const deeds: Deed[] = [];
  let same = 0;
  for (const [id, { name, rule: file }] of files) {
    const known = rules.get(id) ?? null;
    const line = (status: Rule["status"]) => ({ id, text: file.text, scope: file.scope, status, file: name });
    const take = (rule: Rule) => {
      const after = vouched(rule, file, wish);
      deeds.push(deedOf(world, after, name));
      return line(after.status);
    };
    const isNews = marks[id] !== teamMark(file);
    next[id] = teamMark(file);
    if (known === null ? await wasHere(world, id, isNews) : !isNews && !saysTheSame(file, toTeam(known)))
      out.kept.push(line(known?.status ?? "retired"));
    else if (known === null) out.made.push(take(takenIn(file, workspace, null)));
    else if (!saysTheSame(file, toTeam(known)))
      out.changed.push({ ...take(takenIn(file, workspace, known)), was: known.text });
    else if (wish.approve && known.origin === "external" && known.status === "candidate")
      out.approved.push(take(known));
    else same++;
  }
  for (const id of Object.keys(marks)) {
    const rule = rules.get(id);
    if (files.has(id) || rule === undefined || !["approved", "candidate"].includes(rule.status)) continue;
    const status = wish.prune ? "retired" : rule.status;
    (wish.prune ? out.retired : out.gone).push({ id, text: rule.text, scope: rule.scope.kind, status, file: null });
    if (!wish.prune) continue;
    deeds.push(deedOf(world, { ...rule, status }, "its file is gone"));
    delete next[id];
  }
  await changeAll(world.db, deeds);
  await writeMarks(world.db, workspace, next);
  return { workspace, folder, ...out, same, problems: [...problems] };
}

/** Forgotten, or its coming undone: the owner has answered this file, and it has not changed since. */
async function wasHere(world: Context, id: string, isNews: boolean): Promise<boolean> {
  const past = await changesOf(world.db, "rule", id);
  return past.some((change) => change.scrubbed) || (past.length > 0 && !isNews);
}

function vouched(rule: Rule, file: TeamRule, wish: Wish): Rule {
  if (!wish.approve) return rule;
  return { ...rule, status: "approved", level: file.level === "watch" ? "nudge" : file.level };
}

function deedOf(world: Context, after: Rule, note: string): Deed {
  return {
    noun: "rule",
    subject: after.id,
    after: { ...after },
    actor: world.actor,
    cause: { kind: "import", id: "import-rules", note },
    at: world.clock.now(),
  };
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
