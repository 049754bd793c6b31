import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import {
  parseTeamRule,
  teamFileName,
  hashTeamRule,
  type TeamRule,
  formatTeamRule,
  toTeamRule,
} from "../../domain/rule/team-rule.ts";
import { canShowRule } from "../../domain/trust/showable.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { readPlainFile } from "../../lib/plain-file.ts";
import { removeFile, replaceFile } from "../../lib/replace-file.ts";
import { isWithin } from "../../lib/within.ts";
import { dropUnsayableRules } from "../../recall/calls/drop-unsayable.ts";
import { readMeta, writeMeta } from "../../store/state/meta.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { listRuleVersions } from "../../store/shown/rule-versions.ts";

/** The folder with a team's rules in its repository. */
export function getTeamFolder(workspace: string): string {
  return join(workspace, ".oldhand", "rules");
}

export interface TeamFolder {
  /** Keyed by rule id. */
  readonly files: ReadonlyMap<string, { readonly name: string; readonly rule: TeamRule }>;
  readonly problems: readonly { readonly file: string; readonly why: string }[];
}

/** Each file is read separately, so that an unreadable one does not affect the others. */
export function readTeamFolder(folder: string): TeamFolder {
  const files = new Map<string, { name: string; rule: TeamRule }>();
  const problems: { file: string; why: string }[] = [];
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
  for (const name of names.toSorted()) {
    const read = readTeamFile(join(folder, name));
    const twin = read.kind === "rule" ? files.get(read.rule.id) : undefined;
    if (read.kind === "malformed") problems.push({ file: name, why: read.why });
    else if (twin !== undefined) problems.push({ file: name, why: `${twin.name} has the same id` });
    else files.set(read.rule.id, { name, rule: read.rule });
  }
  return { files, problems };
}

const MOST_BYTES = 64_000;

/** Links are refused, because they could lead to any file; so are files too long for a rule. */
function readTeamFile(path: string): ReturnType<typeof parseTeamRule> {
  if (!lstatSync(path).isFile()) return { kind: "malformed", why: "it is not a regular file" };
  const read = readPlainFile(path, { mostBytes: MOST_BYTES });
  if (read.kind === "text") return parseTeamRule(read.text);
  return { kind: "malformed", why: read.kind === "missing" ? "it does not exist" : read.why };
}

/** The hash of each file when this mind last wrote or imported it; it shows who has changed it since. */
export async function readTeamFileHashes(
  db: Context["db"],
  workspace: string,
): Promise<Readonly<Record<string, string>>> {
  const known = tryParseJson((await readMeta(db, hashesKey(workspace))) ?? "{}");
  return isRecord(known) ? (known as Record<string, string>) : {};
}

export function writeTeamFileHashes(
  db: Context["db"],
  workspace: string,
  hashes: Readonly<Record<string, string>>,
): Promise<void> {
  return writeMeta(db, hashesKey(workspace), JSON.stringify(hashes));
}

function hashesKey(workspace: string): string {
  return `team ${workspace}`;
}

export interface TeamExport {
  readonly rules: Pick<Rule, "id" | "level" | "text">[];
  readonly left: number;
  readonly files: {
    path: string;
    hosts: string[];
    change: "make" | "change" | "remove" | "none" | "refused";
    why: string | null;
  }[];
}

/** Writes one file per rule. A file that others changed is never overwritten: it must be imported first. */
export async function exportTeam(
  { db }: Pick<Context, "db">,
  workspace: string,
  options: { readonly write: boolean; readonly remove: boolean },
): Promise<TeamExport> {
  const folder = getTeamFolder(workspace);
  if (!isWithin(folder, workspace))
    throw new OldhandError("input", `${folder} links to a place outside the workspace`, {
      hint: "nothing was written",
    });
  const { files } = readTeamFolder(folder);
  const hashes = await readTeamFileHashes(db, workspace);
  const rules = await listRules(db);
  const showable = options.remove ? [] : rules.filter((rule) => canShowRule(rule, workspace));
  const holding = await dropUnsayableRules(db, showable);
  const versions = await listRuleVersions(db, holding);
  const kept: Record<string, string> = { ...hashes };
  const out: TeamExport["files"] = [];
  const addFile = (name: string, change: TeamExport["files"][number]["change"], why: string | null = null) =>
    void out.push({ path: join(folder, name), hosts: [], change, why });
  for (const rule of holding) {
    const there = files.get(rule.id);
    // An external rule is exported only to the file it came from.
    if (there === undefined && rule.origin === "external") continue;
    const wanted = there === undefined ? toTeamRule(rule, versions.get(rule.id)) : mergeCounts(rule, there.rule);
    const hash = hashTeamRule(wanted);
    const name = there?.name ?? teamFileName(wanted);
    if (there !== undefined && hashTeamRule(there.rule) === hash) addFile(name, "none");
    else if (there !== undefined && hashes[rule.id] !== hashTeamRule(there.rule)) {
      addFile(name, "refused", "it was changed in the folder; run oldhand import-rules first");
      continue;
    } else if (!isWithin(join(folder, name), workspace)) {
      addFile(name, "refused", "it links to a place outside the workspace");
      continue;
    } else {
      addFile(name, there === undefined ? "make" : "change");
      if (options.write) replaceFile(join(folder, name), formatTeamRule(wanted));
    }
    kept[rule.id] = hash;
  }
  for (const [id, { name, rule }] of files) {
    const isUnchanged = hashes[id] === hashTeamRule(rule);
    if (!isUnchanged || !(options.remove || isEnded(rules.find((one) => one.id === id)))) continue;
    addFile(name, "remove");
    delete kept[id];
    if (options.write) removeFile(join(folder, name), workspace);
  }
  if (options.write) await writeTeamFileHashes(db, workspace, kept);
  return { rules: holding.map(({ id, level, text }) => ({ id, level, text })), left: 0, files: out };
}

/** New counts are no reason to change the file, nor is an importer's own decision about an external rule. */
function mergeCounts(rule: Rule, file: TeamRule): TeamRule {
  const { text, scope, matcher, level, status } = toTeamRule(rule);
  return rule.origin === "external"
    ? { ...file, text, scope, matcher }
    : { ...file, text, scope, matcher, level, status };
}

/** True if its owner ended or forgot the rule. An importer ends it only in its own mind. */
function isEnded(rule: Rule | undefined): boolean {
  if (rule === undefined) return true;
  return rule.origin !== "external" && ["retired", "rejected", "merged"].includes(rule.status);
}
