import { join } from "node:path";
import type { Context } from "../../context.ts";
import { identityFiles, identityNames, withoutHeadings } from "../../domain/identity/identity.ts";
import { isOwnProfile, parseEntries } from "../../domain/memory/memory-file.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { mergeThreeWay } from "../../lib/line-diff.ts";
import { listIdentities } from "../../store/nouns/identities.ts";
import { listMemories } from "../../store/nouns/memories.ts";
import { readHomeFile, toStoredText } from "./home-file.ts";
import { readKnownEntries } from "./known-entries.ts";

export interface IdentityPart {
  readonly name: string;
  readonly text: string;
}

/**
 * The identity text for a session start. The most important file first; what exceeds the limit is cut at the
 * end, by whole lines, with a note. The same files give the same bytes, so that prompt caches work.
 */
export function composeIdentity(parts: readonly IdentityPart[], limit: number): string {
  const there = identityFiles.flatMap((name) => {
    const text = findIdentityText(parts, name);
    return text === "" ? [] : [{ name, lines: [`[${name}]`, ...text.split("\n")] }];
  });
  if (there.length === 0) return "";
  const lines = there.flatMap((part, index) => [...(index === 0 ? [] : [""]), ...part.lines]);
  const whole = [PRECEDENCE, "", ...lines].join("\n");
  if (whole.length <= limit) return whole;
  const room = limit - CUT.length - 1;
  const kept: string[] = [];
  let used = PRECEDENCE.length + 1;
  for (const line of lines) {
    if (used + line.length + 1 > room) break;
    kept.push(line);
    used += line.length + 1;
  }
  return kept.length === 0 ? "" : [PRECEDENCE, "", ...kept, CUT].join("\n");
}

const PRECEDENCE =
  "Who you are. If these files disagree, the earlier one wins: SHIELD.md, SOUL.md, USER.md, HARNESS.md, then all else.";
const CUT = "(cut here: the rest is over the limit for a session start)";

/** One file of the identity as an agent reads it; empty if there is none. */
export function findIdentityText(parts: readonly IdentityPart[], name: string): string {
  return removeComments(parts.find((part) => part.name === name)?.text ?? "");
}

/** Comments are for the owner who edits the file. */
function removeComments(text: string): string {
  return (
    text
      .replace(/^\ufeff/, "")
      .replaceAll("\r\n", "\n")
      .replaceAll(/[ \t]*<!--[\s\S]*?-->/g, "")
      .replaceAll(/[ \t]+$/gm, "")
      .replaceAll(/\n{3,}/g, "\n\n")
      // Escapes lines that look like the start of another file.
      .replaceAll(/^([ \t]*)(?=\[(?:SHIELD|SOUL|USER|HARNESS)\.md\])/gim, "$1\\")
      .trim()
  );
}

/** The current files, for `composeIdentity`; the owner's edits count at once. Reads only. */
export async function loadIdentity({ db, config }: Pick<Context, "db" | "config">): Promise<readonly IdentityPart[]> {
  const known = readKnownTexts(config.home);
  const minds = new Map((await listIdentities(db)).map((one) => [one.id, one.text]));
  const own = identityNames.flatMap((name) => {
    const found = compareIdentityFile(
      readHomeFile(join(config.home, name)),
      known[name] ?? null,
      minds.get(name) ?? null,
    );
    return found.kind === "none" || found.kind === "left" ? [] : [{ name, text: found.text }];
  });
  return [...own, { name: "USER.md", text: await readUserText({ db, config }) }];
}

/** How a file differs from the mind. */
export type IdentityFileComparison =
  | { readonly kind: "none" }
  | { readonly kind: "same"; readonly text: string }
  /** The file was changed, which counts as the owner's decision. */
  | { readonly kind: "edited"; readonly text: string }
  /** The mind changed; the file must be updated. */
  | { readonly kind: "behind"; readonly text: string }
  /** Removed from the mind while the file stayed the same: ignored until the file is edited. */
  | { readonly kind: "left" };

/**
 * `known` is the file's text when it was last read or written. If both sides changed since, the changes are
 * merged if possible; else the file wins.
 */
export function compareIdentityFile(
  raw: string | null,
  known: string | null,
  mind: string | null,
): IdentityFileComparison {
  if (raw === null) return mind === null ? { kind: "none" } : { kind: "behind", text: mind };
  const text = toMindText(raw);
  if (text === mind) return { kind: "same", text };
  if (text === known) return mind === null ? { kind: "left" } : { kind: "behind", text: mind };
  const both = mind === null || known === null || mind === known ? text : mergeThreeWay(known, text, mind);
  return { kind: "edited", text: both ?? text };
}

/** A file's text as the mind stores it: without secrets, with `\n` line ends. */
export function toMindText(raw: string): string {
  return toStoredText(raw.replace(/^\ufeff/, "").replaceAll("\r\n", "\n"));
}

export type KnownTexts = Readonly<Record<string, string>>;

/** Stored next to the files, because another machine with the same mind has its own files. */
export function readKnownTexts(home: string): KnownTexts {
  const text = readHomeFile(join(home, KNOWN_TEXTS_FILE));
  const known = text === null ? undefined : tryParseJson(text);
  return isRecord(known) ? (known as KnownTexts) : {};
}

export const KNOWN_TEXTS_FILE = "identity-files.json";

/**
 * The owner's profile, in the owner's words: written or approved by the owner, or just added to the file.
 * Texts of others are recalled as data, never as identity, even if an earlier version wrote them to the file.
 */
async function readUserText({ db, config }: Pick<Context, "db" | "config">): Promise<string> {
  const pinned = await listMemories(db, { scope: { kind: "global" }, status: "active", pinned: true });
  const own = pinned.filter(isOwnProfile);
  const ids = new Set(own.map((memory) => memory.id));
  const others = new Set(pinned.filter((memory) => !ids.has(memory.id)).map((memory) => memory.text.trim()));
  const known = new Map(readKnownEntries(config.home)["USER.md"]?.map(({ id, text }) => [text, id]));
  const isOwn = (entry: string) => {
    const id = known.get(entry);
    return id === undefined ? !others.has(entry) : ids.has(id);
  };
  const raw = readHomeFile(join(config.home, "USER.md"));
  const entries = raw === null ? own.map((memory) => memory.text.trim()) : parseEntries(toMindText(raw)).filter(isOwn);
  return entries.map((entry) => `- ${withoutHeadings(entry).replaceAll("\n", "\n  ")}`).join("\n");
}
