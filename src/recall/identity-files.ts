import { join } from "node:path";
import type { Context } from "../context.ts";
import { owner } from "../domain/actor.ts";
import { type IdentityName, identityNames } from "../domain/identity/identity.ts";
import { redact } from "../domain/redact/redact.ts";
import { linesOf } from "../lib/line-diff.ts";
import { replacePrivateFile } from "../lib/replace-file.ts";
import { getIdentity, identityNoun } from "../store/identities.ts";
import { by, change, underLock } from "../store/journal.ts";
import { readHomeFile } from "./home-file.ts";
import { asText, KNOWN, readKnown, type Standing, standing } from "./identity.ts";

type FilesContext = Pick<Context, "db" | "config" | "clock">;

export interface IdentityFileState {
  readonly name: IdentityName;
  readonly path: string;
  /** Null where there is none. */
  readonly text: string | null;
  readonly did: "nothing" | "read back" | "written" | "left";
}

/**
 * SHIELD.md, SOUL.md and HARNESS.md and what the mind has of them, made one. What someone changed in a file is the
 * owner's word and is taken in first; only then is a file written, and never if it changed meanwhile.
 */
export async function syncIdentityFiles(ctx: FilesContext): Promise<readonly IdentityFileState[]> {
  const states: IdentityFileState[] = [];
  for (const name of identityNames) states.push(await underLock(ctx.db, (db) => syncOne({ ...ctx, db }, name)));
  return states;
}

async function syncOne(ctx: FilesContext, name: IdentityName): Promise<IdentityFileState> {
  const { home } = ctx.config;
  const path = join(home, name);
  const raw = readHomeFile(path);
  const found = standing(raw, readKnown(home)[name] ?? null, (await getIdentity(ctx.db, name))?.text ?? null);
  if (found.kind === "none") return { name, path, text: null, did: "nothing" };
  if (found.kind === "left") return { name, path, text: null, did: "left" };
  if (found.kind === "edited") await takeIn(ctx, name, found.text);
  const isWritten = write({ path, raw }, found);
  // Only what the file really holds is known of it: what could not be written is tried again.
  if (isWritten || raw !== null) remember(home, name, isWritten ? found.text : asText(raw ?? ""));
  const did =
    found.kind === "edited" ? "read back" : isWritten ? "written" : found.kind === "same" ? "nothing" : "left";
  return { name, path, text: found.text, did };
}

async function takeIn(ctx: FilesContext, name: IdentityName, text: string): Promise<void> {
  const because = by({ ...ctx, actor: owner }, { kind: "person", id: null }, `${name} was edited`);
  await change(ctx.db, { noun: identityNoun, id: name }, because, () => ({ id: name, text }));
}

/** False where nothing is to be written, or where it cannot be without losing something. */
function write(
  file: { readonly path: string; readonly raw: string | null },
  found: Exclude<Standing, { kind: "none" | "left" }>,
): boolean {
  const { path, raw } = file;
  if (found.kind === "same" || (raw !== null && asText(raw) === found.text)) return false;
  const text = raw === null ? found.text : inTheManner(raw, found.text);
  if (asText(text) !== found.text || readHomeFile(path) !== raw) return false;
  replacePrivateFile(path, text);
  return true;
}

/** The new text with the owner's line ends, and with the secrets that only the file holds. */
function inTheManner(raw: string, text: string): string {
  const secrets = new Map(
    linesOf(raw.replaceAll("\r\n", "\n"))
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

function remember(home: string, name: IdentityName, text: string): void {
  const before = readKnown(home);
  if (before[name] !== text)
    replacePrivateFile(join(home, KNOWN), `${JSON.stringify({ ...before, [name]: text }, null, 2)}\n`);
}
