import { closeSync, openSync, readSync, statSync } from "node:fs";

/** The host's version as an event field; empty if the value is not a version. */
export function parseHostVersion(value: unknown): { readonly hostVersion?: string } {
  return typeof value === "string" && VERSION.test(value) ? { hostVersion: value } : {};
}

/** Begins with a number and is short; anything else in such a field is not stored. */
const VERSION = /^v?\d[\w.+-]{0,39}$/;

/** For transcripts that contain the version only in their first line, when only new lines are read. */
export function readVersionFromHead(path: string, field: string): { readonly hostVersion?: string } {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return {};
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const text = head.toString("utf8", 0, readSync(file, head, 0, HEAD_BYTES, 0));
    return parseHostVersion(new RegExp(`"${field}":\\s?"([^"]{1,60})"`).exec(text)?.[1]);
  } finally {
    closeSync(file);
  }
}

const HEAD_BYTES = 4_096;
