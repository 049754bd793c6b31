import { join } from "node:path";
import type { Context } from "../../context.ts";
import { owner } from "../../domain/actor.ts";
import { type IdentityName, identityNames } from "../../domain/identity/identity.ts";
import { redact } from "../../domain/redact/redact.ts";
import { splitLines } from "../../lib/line-diff.ts";
import { replacePrivateFile } from "../../lib/replace-file.ts";
import { getIdentity, identityNoun } from "../../store/nouns/identities.ts";
import { makeProvenance, applyChange, withJournalLock } from "../../store/journal/journal.ts";
import { readHomeFile } from "./home-file.ts";
import {
  toMindText,
  KNOWN_TEXTS_FILE,
  readKnownTexts,
  type IdentityFileComparison,
  compareIdentityFile,
} from "./identity.ts";

type FilesContext = Pick<Context, "db" | "config" | "clock">;

export interface IdentityFileState {
  readonly name: IdentityName;
  readonly path: string;
  /** Null if there is no text. */
  readonly text: string | null;
  readonly did: "nothing" | "read back" | "written" | "left";
}

/**
 * Synchronises SHIELD.md, SOUL.md and HARNESS.md with the mind. An edited file counts as the owner's change
 * and is read first; only then are files written, and never if they changed in the meantime.
 */
export async function syncIdentityFiles(ctx: FilesContext): Promise<readonly IdentityFileState[]> {
  const states: IdentityFileState[] = [];
  for (const name of identityNames)
    states.push(await withJournalLock(ctx.db, (db) => syncIdentityFile({ ...ctx, db }, name)));
  return states;
}

async function syncIdentityFile(ctx: FilesContext, name: IdentityName): Promise<IdentityFileState> {
  const { home } = ctx.config;
  const path = join(home, name);
  const raw = readHomeFile(path);
  const found = compareIdentityFile(
    raw,
    readKnownTexts(home)[name] ?? null,
    (await getIdentity(ctx.db, name))?.text ?? null,
  );
  if (found.kind === "none") return { name, path, text: null, did: "nothing" };
  if (found.kind === "left") return { name, path, text: null, did: "left" };
  if (found.kind === "edited") await storeOwnerEdit(ctx, name, found.text);
  const isWritten = writeIdentityFile({ path, raw }, found);
  // Stores what the file really contains, so that a failed write is tried again.
  if (isWritten || raw !== null) saveKnownText(home, name, isWritten ? found.text : toMindText(raw ?? ""));
  const did =
    found.kind === "edited" ? "read back" : isWritten ? "written" : found.kind === "same" ? "nothing" : "left";
  return { name, path, text: found.text, did };
}

async function storeOwnerEdit(ctx: FilesContext, name: IdentityName, text: string): Promise<void> {
  const because = makeProvenance({ ...ctx, actor: owner }, { kind: "person", id: null }, `${name} was edited`);
  await applyChange(ctx.db, { noun: identityNoun, id: name }, because, () => ({ id: name, text }));
}

/** False if there is nothing to write, or writing would lose something. */
function writeIdentityFile(
  file: { readonly path: string; readonly raw: string | null },
  found: Exclude<IdentityFileComparison, { kind: "none" | "left" }>,
): boolean {
  const { path, raw } = file;
  if (found.kind === "same" || (raw !== null && toMindText(raw) === found.text)) return false;
  const text = raw === null ? found.text : matchFileStyle(raw, found.text);
  if (toMindText(text) !== found.text || readHomeFile(path) !== raw) return false;
  replacePrivateFile(path, text);
  return true;
}

/** The new text with the file's line ends, and with the secrets that only the file contains. */
function matchFileStyle(raw: string, text: string): string {
  const secrets = new Map(
    splitLines(raw.replaceAll("\r\n", "\n"))
      .map((line) => [redact(line), line] as const)
      .filter(([safe, line]) => safe !== line),
  );
  const whole = text
    .split("\n")
    .map((line) => secrets.get(line) ?? line)
    .join("\n");
  const mark = raw.startsWith("\ufeff") ? "\ufeff" : "";
  return mark + (raw.includes("\r\n") ? whole.replaceAll("\n", "\r\n") : whole);
}

function saveKnownText(home: string, name: IdentityName, text: string): void {
  const before = readKnownTexts(home);
  if (before[name] !== text)
    replacePrivateFile(join(home, KNOWN_TEXTS_FILE), `${JSON.stringify({ ...before, [name]: text }, null, 2)}\n`);
}
