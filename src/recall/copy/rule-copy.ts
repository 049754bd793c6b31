import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ActiveRule } from "../../domain/rule/rule.ts";
import { hashText } from "../../lib/hash.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { MEGABYTE, readPlainFile } from "../../lib/plain-file.ts";
import { replacePrivateFile } from "../../lib/replace-file.ts";
import type { OpenOverride } from "../../store/nouns/rules.ts";

/**
 * The rules at `ask` and `deny` that are in force in a workspace, as the server last gave them: a hook judges by them if the
 * server does not answer in time. One file for each workspace, and one for what applies everywhere.
 */
export interface RuleCopy {
  /** Null: what applies everywhere. */
  readonly workspace: string | null;
  /** When it was read from the server. */
  readonly at: number;
  /** The last change of the mind that it knows. */
  readonly journal: number;
  readonly rules: readonly CopiedRule[];
  readonly overrides: readonly OpenOverride[];
}

export interface CopiedRule extends ActiveRule {
  /** True if some sessions are its control group. */
  readonly onTrial: boolean;
}

/** Where the copies of a mind are. Another database has other copies. */
export interface CopyPlace {
  readonly home: string;
  readonly database: string;
}

export type ReadCopy =
  | { readonly kind: "copy"; readonly copy: RuleCopy }
  | { readonly kind: "missing" }
  | { readonly kind: "damaged" };

/** A file that was changed or cut off counts as damaged, and nothing in it is used. */
export function readRuleCopy(place: CopyPlace, workspace: string | null): ReadCopy {
  const read = readPlainFile(fileOf(place, workspace), { mostBytes: 10 * MEGABYTE });
  if (read.kind === "missing") return { kind: "missing" };
  const copy = read.kind === "text" ? parseCopy(read.text) : null;
  return copy === null || copy.workspace !== workspace ? { kind: "damaged" } : { kind: "copy", copy };
}

export function writeRuleCopy(place: CopyPlace, copy: RuleCopy): void {
  const text = JSON.stringify({ format: FORMAT, ...copy });
  makeFolder(folderOf(place), 0o700);
  replacePrivateFile(fileOf(place, copy.workspace), `${hashText(text)}\n${text}\n`);
}

/** The workspaces that have a copy, without the one for everywhere. Removes files that nobody has written since. */
export function listCopiedWorkspaces(place: CopyPlace, since: number): readonly string[] {
  const folder = folderOf(place);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name);
    if (!name.endsWith(ENDING)) return [];
    if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? since) < since) {
      rmSync(file, { force: true });
      return [];
    }
    const read = readPlainFile(file, { mostBytes: 10 * MEGABYTE });
    const copy = read.kind === "text" ? parseCopy(read.text) : null;
    return copy === null || copy.workspace === null || file !== fileOf(place, copy.workspace) ? [] : [copy.workspace];
  });
}

/** Who used an override while the server was away. */
export interface OverrideUse {
  readonly at: number;
  readonly host: string;
  readonly session: string;
}

/** False, and nothing is used, if a call has used one of them already: creating the file decides between two calls at once. */
export function claimOverrides(place: CopyPlace, overrides: readonly string[], use: OverrideUse): boolean {
  const claimed: string[] = [];
  try {
    for (const override of overrides) {
      const file = usedFile(place, override);
      writeFileSync(file, JSON.stringify(use), { mode: 0o600, flag: "wx" });
      claimed.push(file);
    }
    return true;
  } catch {
    // Used already, or it cannot be noted: then the rules stand.
    for (const file of claimed) rmSync(file, { force: true });
    return false;
  }
}

export function isOverrideUsed(place: CopyPlace, override: string): boolean {
  return existsSync(usedFile(place, override));
}

/** The overrides that were used here and that the server has not been told of. */
export function listUsedOverrides(
  place: CopyPlace,
): readonly { readonly id: string; readonly use: OverrideUse; forget(): void }[] {
  const folder = folderOf(place);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    if (!name.startsWith(USED)) return [];
    const file = join(folder, name);
    const use = tryParseJson(readFileSync(file, "utf8"));
    const { at = 0, host = "", session = "" } = isRecord(use) ? (use as Partial<OverrideUse>) : {};
    return [{ id: name.slice(USED.length), use: { at, host, session }, forget: () => rmSync(file, { force: true }) }];
  });
}

/** Asked before every call: nearly always false. */
export function hasUsedOverrides(place: CopyPlace): boolean {
  const folder = folderOf(place);
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(USED));
}

const FORMAT = 1;
const ENDING = ".json";
const USED = "used-";

function folderOf({ home }: CopyPlace): string {
  return join(home, "rule-copies");
}

function usedFile(place: CopyPlace, override: string): string {
  return join(folderOf(place), `${USED}${override.replaceAll(/\W/g, "")}`);
}

function fileOf(place: CopyPlace, workspace: string | null): string {
  return join(folderOf(place), `${hashText(JSON.stringify([nameOf(place.database), workspace]))}${ENDING}`);
}

/** Without user and password, which may change. */
function nameOf(database: string): string {
  const url = new URL(database);
  return `${url.host}${url.pathname}?${url.searchParams.get("schema") ?? ""}`;
}

function parseCopy(text: string): RuleCopy | null {
  const [hash, json, ...rest] = text.split("\n");
  if (json === undefined || rest.join("") !== "" || hash !== hashText(json)) return null;
  const copy = tryParseJson(json);
  // What was written whole is as it was written; another version may have written it otherwise.
  return isRecord(copy) && copy["format"] === FORMAT ? (copy as unknown as RuleCopy) : null;
}
