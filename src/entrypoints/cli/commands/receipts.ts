import { copyFileSync, existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { ensureHome } from "../../../lib/ensure-home.ts";
import { isRecord, stableJson, tryParseJson } from "../../../lib/json.ts";
import { memberAt, withoutMember } from "../../../lib/json-edit.ts";
import { makeFolder } from "../../../lib/make-folder.ts";
import { replaceFile } from "../../../lib/replace-file.ts";
import type { InstallTarget, PlannedFile } from "../../../observe/protocol/host.ts";
import { hosts } from "../../../observe/hosts/list.ts";
import { readHostFile } from "../../../observe/wiring/host-file.ts";
import { isOutsideProject, refuseOutsideProject, removeOurs } from "../../../observe/wiring/plan.ts";

/** What was written to a file, so that it can be restored byte for byte. */
export interface Receipt {
  readonly host: string;
  readonly path: string;
  /** The file's previous text; null if it did not exist. */
  readonly before: string | null;
  readonly after: string;
  /** The topmost folder above it that an install created, for this file or for another one. */
  readonly made?: string | undefined;
  /** The repository it was written for; null: for the user everywhere. */
  readonly project?: string | null;
  readonly team?: boolean;
}

/** Whom a file is written for: one repository, its whole team, or the user everywhere. */
export type InstallScope = Pick<InstallTarget, "project" | "team">;

export async function writeWithReceipt(
  home: string,
  host: string,
  file: PlannedFile & { after: string },
  whom: InstallScope,
): Promise<void> {
  refuseOutsideProject(whom.project, [file]);
  const receipts = readReceipts(home);
  const earlier = receipts.find((receipt) => receipt.path === file.path);
  const before = await readTextBeforeInstall(host, file, earlier);
  const made = findMadeFolder(file.path, [...receipts, { path: file.path, made: makeFolder(dirname(file.path)) }]);
  writeReceipts(home, [
    ...receipts.filter((receipt) => receipt.path !== file.path),
    { host, path: file.path, before, after: file.after, made, project: whom.project, team: whom.team === true },
  ]);
  // A team's files are in version control; a backup next to them would be one more file to commit.
  if (file.before !== null && !earlier && whom.team !== true) copyToBackup(file.path);
  replaceFile(file.path, file.after);
}

/**
 * The text to restore later. After a repeated install, that is the text before the first one, plus what others wrote
 * since.
 */
async function readTextBeforeInstall(
  host: string,
  file: PlannedFile,
  earlier: Receipt | undefined,
): Promise<string | null> {
  const now = file.before;
  if (now === null || now === earlier?.after) return earlier?.before ?? null;
  const theirs = await removeOursFrom(host, now);
  if (theirs === null || isSameText(theirs, now)) return now;
  const untouched = earlier !== undefined && isSameText(theirs, (await removeOursFrom(host, earlier.after)) ?? "");
  return untouched ? earlier.before : theirs;
}

async function removeOursFrom(host: string, text: string): Promise<string | null> {
  const setup = await hosts.find((one) => one.name === host)?.setup();
  return setup === undefined ? null : removeOurs(setup, text);
}

function isSameText(a: string, b: string): boolean {
  return a === b || stableJson(tryParseJson(a) ?? a) === stableJson(tryParseJson(b) ?? b);
}

/** The old backup is deleted first, because a link with that name would redirect the copy. */
function copyToBackup(path: string): void {
  rmSync(`${path}.before-oldhand`, { force: true });
  copyFileSync(path, `${path}.before-oldhand`);
}

/** How an install is reverted in one file: `text` is the new content, or null to delete the file. */
export interface PlannedRevert {
  readonly receipt: Receipt;
  readonly text: string | null;
  /** True if others wrote to the file since; their text stays. */
  readonly isShared: boolean;
}

/**
 * Keeps what others wrote to the file since. Null if that cannot be separated from ours, or the path now leads out of
 * the repository.
 */
export async function planRevert(home: string, receipt: Receipt): Promise<PlannedRevert | null> {
  const { path, before, after } = receipt;
  if (isOutsideProject(path, receipt.project ?? null)) return null;
  const read = readHostFile(path);
  if (read.kind === "refused") return null;
  const now = read.kind === "text" ? read.text : null;
  const isOurFile = before === null && path.startsWith(join(home, "hosts"));
  if (now !== null && now !== after && !isOurFile) {
    const theirs = await removeOursFrom(receipt.host, now);
    if (theirs === null) return null;
    if (!isSameText(theirs, (await removeOursFrom(receipt.host, after)) ?? ""))
      return { receipt, text: withoutMadeMembers(theirs, receipt), isShared: true };
  }
  return { receipt, text: before, isShared: false };
}

/** Removes the members that an install added and that are empty without its entries, such as `"mcpServers": {}`. */
function withoutMadeMembers(text: string, { before, after }: Pick<Receipt, "before" | "after">): string {
  const [now, was, written] = [text, before ?? "", after].map((one) => memberAt(one, []));
  if (!isRecord(now)) return text;
  const made = Object.keys(now).filter(
    (key) =>
      isEmpty(now[key]) &&
      isRecord(written) &&
      key in written &&
      !isEmpty(written[key]) &&
      !(isRecord(was) && key in was),
  );
  return made.reduce((rest, key) => withoutMember(rest, [key]) ?? rest, text);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

export function revertFile({ receipt: { path, made }, text, isShared }: PlannedRevert): void {
  if (text === null) rmSync(path, { force: true });
  else replaceFile(path, text);
  rmSync(`${path}.before-oldhand`, { force: true });
  if (made !== undefined && !isShared) removeEmptyFolders(dirname(path), made);
}

/** Receipts may be in any order, and some may go before others: each knows every folder that goes when it is empty. */
function findMadeFolder(path: string, receipts: readonly Pick<Receipt, "path" | "made">[]): string | undefined {
  const above = receipts.flatMap(({ made }) => (made !== undefined && isWithin(made, path) ? [made] : []));
  return above.toSorted((a, b) => a.length - b.length)[0];
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Removes empty folders that we created, up to `first`. */
function removeEmptyFolders(folder: string, first: string): void {
  if (!isWithin(first, folder) || !existsSync(folder) || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmptyFolders(dirname(folder), first);
}

export function readReceipts(home: string): readonly Receipt[] {
  const file = join(home, "installed.json");
  const parsed = existsSync(file) ? tryParseJson(readFileSync(file, "utf8")) : [];
  const receipts = Array.isArray(parsed) ? (parsed.filter(isRecord) as unknown as Receipt[]) : [];
  return receipts.map((receipt) => ({ ...receipt, made: findMadeFolder(receipt.path, receipts) }));
}

export function writeReceipts(home: string, receipts: readonly Receipt[]): void {
  ensureHome(home);
  writeFileSync(join(home, "installed.json"), `${JSON.stringify(receipts, null, 2)}\n`, { mode: 0o600 });
}
