import { copyFileSync, existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureHome } from "../../lib/ensure-home.ts";
import { isRecord, stableJson, tryParseJson } from "../../lib/json.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { replaceFile } from "../../lib/replace-file.ts";
import type { InstallTarget, PlannedFile } from "../../observe/protocol/host.ts";
import { hosts } from "../../observe/hosts/list.ts";
import { readHostFile } from "../../observe/wiring/host-file.ts";
import { isOutsideProject, refuseOutsideProject, removeOurs } from "../../observe/wiring/plan.ts";

/** What was written where, so that it can be taken back to the byte. */
export interface Receipt {
  readonly host: string;
  readonly path: string;
  /** The file as it was; null where there was none. */
  readonly before: string | null;
  readonly after: string;
  /** The first folder that had to be made for it. */
  readonly made?: string | undefined;
  /** The repository it was written for; null: for its user everywhere. */
  readonly project?: string | null;
  readonly team?: boolean;
}

/** For whom a file is written: one repository, its whole team, or its user everywhere. */
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
  const made = makeFolder(dirname(file.path)) ?? earlier?.made;
  writeReceipts(home, [
    ...receipts.filter((receipt) => receipt.path !== file.path),
    { host, path: file.path, before, after: file.after, made, project: whom.project, team: whom.team === true },
  ]);
  // What a team shares has its history; a copy beside it would be one more file to share.
  if (file.before !== null && !earlier && whom.team !== true) copyToBackup(file.path);
  replaceFile(file.path, file.after);
}

/** Installed over an older install of ours, the way back leads to before the first, with what others wrote since. */
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

/** Made anew, always: a link of that name would lead the copy elsewhere. */
function copyToBackup(path: string): void {
  rmSync(`${path}.before-oldhand`, { force: true });
  copyFileSync(path, `${path}.before-oldhand`);
}

/** What others wrote to the file since stays. False when it cannot be told from ours, or leads out of the repository now. */
export async function revertFile(home: string, receipt: Receipt): Promise<boolean> {
  const { path, before, after, made } = receipt;
  if (isOutsideProject(path, receipt.project ?? null)) return false;
  const read = readHostFile(path);
  if (read.kind === "refused") return false;
  const now = read.kind === "text" ? read.text : null;
  const isOurFile = before === null && path.startsWith(join(home, "hosts"));
  if (now !== null && now !== after && !isOurFile) {
    const theirs = await removeOursFrom(receipt.host, now);
    if (theirs === null) return false;
    if (!isSameText(theirs, (await removeOursFrom(receipt.host, after)) ?? "")) {
      replaceFile(path, theirs);
      rmSync(`${path}.before-oldhand`, { force: true });
      return true;
    }
  }
  if (before === null) rmSync(path, { force: true });
  else replaceFile(path, before);
  rmSync(`${path}.before-oldhand`, { force: true });
  if (made !== undefined) removeEmptyFolders(dirname(path), made);
  return true;
}

/** Folders that we made and nobody uses, up to the first of them. */
function removeEmptyFolders(folder: string, first: string): void {
  if (!folder.startsWith(first) || !existsSync(folder) || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmptyFolders(dirname(folder), first);
}

export function readReceipts(home: string): readonly Receipt[] {
  const file = join(home, "installed.json");
  const parsed = existsSync(file) ? tryParseJson(readFileSync(file, "utf8")) : [];
  return Array.isArray(parsed) ? (parsed.filter(isRecord) as unknown as Receipt[]) : [];
}

export function writeReceipts(home: string, receipts: readonly Receipt[]): void {
  ensureHome(home);
  writeFileSync(join(home, "installed.json"), `${JSON.stringify(receipts, null, 2)}\n`, { mode: 0o600 });
}
