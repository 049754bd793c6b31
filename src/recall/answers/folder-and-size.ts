import { findRequestedPath } from "../../domain/cause/missing-path.ts";
import { plural } from "../../lib/text.ts";
import type { AnswerLookup, Failure, FailureAnswer } from "./answer.ts";
import { listFolderEntries } from "../disk/folder-entries.ts";
import { shortenPath } from "./near-paths.ts";
import { openWorkspacePath, readFileStart } from "./open-file.ts";

/** For a folder that was used as a file: its contents. */
export async function listFolderContents(around: AnswerLookup, failure: Failure): Promise<FailureAnswer | null> {
  const open = await openRequestedPath(around, failure);
  if (open === null || !open.isFolder) return null;
  const below = (name: string) => (open.within === "" ? name : `${open.within}/${name}`);
  const entries = listFolderEntries(open.full, around.budget).filter(
    (one) => !around.isHidden(below(one.name), one.isFolder),
  );
  if (entries.length === 0) return null;
  const files = entries.filter((one) => !one.isFolder);
  const folders = entries.filter((one) => one.isFolder);
  const contents = [
    ...(files.length === 0 ? [] : [plural(files.length, "file")]),
    ...(folders.length === 0 ? [] : [plural(folders.length, "folder")]),
  ];
  const shown = [...files, ...folders].slice(0, MOST);
  const names = shown.map((one) => (one.isFolder ? `${one.name}/` : one.name));
  const more = entries.length > shown.length ? ` and ${entries.length - shown.length} more` : "";
  const lines = (count: number) => [
    `${names.slice(0, count).join(", ")}${count < names.length || more !== "" ? ", …" : ""}`,
  ];
  return {
    label: `${shortenPath(open.full)} is a folder with ${contents.join(" and ")}`,
    lines: lines(names.length),
    shorter: lines(Math.max(1, countFitting(names))),
    offers: { file: null, texts: shown.map((one) => below(one.name)) },
  };
}

const MOST = 12;

/** How many names fit next to the label. */
function countFitting(names: readonly string[]): number {
  let room = 170;
  return names.filter((name) => (room -= name.length + 2) > 0).length;
}

/** For a file too large to read at once: its size, and a part that can be read. */
export async function findReadablePart(around: AnswerLookup, failure: Failure): Promise<FailureAnswer | null> {
  const open = await openRequestedPath(around, failure);
  if (open === null || open.isFolder || open.size === 0) return null;
  const text = readFileStart(open.full, MOST_READ);
  if (text === null) return null;
  const lines = text.split("\n").length;
  const mean = text.length / lines;
  const isWhole = open.size <= MOST_READ;
  const all = isWhole ? lines : Math.round((lines * open.size) / text.length);
  const tokens = readTokens(failure.error);
  const limit = Math.max(
    1,
    Math.min(
      Math.floor(SENSIBLE / mean),
      tokens === null ? Infinity : Math.floor((all * 0.9 * tokens.most) / tokens.all),
    ),
  );
  const size =
    open.size >= 1_000_000 ? `${(open.size / 1_000_000).toFixed(1)} MB` : `${Math.round(open.size / 1_000)} kB`;
  const counted = tokens === null ? "" : `, ${tokens.all.toLocaleString("en-US")} tokens`;
  const sizeText = `${size}${counted}, ${isWhole ? "" : "about "}${all.toLocaleString("en-US")} lines`;
  return {
    label: `${shortenPath(open.within)} is large`,
    lines:
      mean > SENSIBLE / 10 || limit < 2
        ? [`${sizeText}; the lines are very long: a search fits better than a read`]
        : [`${sizeText}; up to ${limit} lines can be read at once (offset 1, limit ${limit})`],
    offers: {
      file: open.within,
      texts: ['"offset"', '"limit"', '"start_line"', "sed -n", "head ", "tail ", "grep", "rg "],
    },
  };
}

/** How many tokens the file has and may have, where the error says so: the host counts them, not characters. */
function readTokens(error: string): { readonly all: number; readonly most: number } | null {
  const found = /\(([\d,]+) tokens\) exceeds [\w ]{1,40}\(([\d,]+)\)/.exec(error);
  const [all = 0, most = 0] = (found?.slice(1) ?? []).map((one) => Number(one.replaceAll(",", "")));
  return all > 0 && most > 0 ? { all, most } : null;
}

const MOST_READ = 4_000_000;
/** Characters that every host accepts at once. */
const SENSIBLE = 60_000;

async function openRequestedPath(around: AnswerLookup, { call, cause, error }: Failure) {
  const path = findRequestedPath(call, cause, error);
  return path === null ? null : openWorkspacePath(around, path.path, path.from);
}
