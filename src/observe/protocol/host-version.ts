import { closeSync, openSync, readSync, statSync } from "node:fs";

/** What a host calls its version, for an event; nothing where it is no version. */
export function parseHostVersion(value: unknown): { readonly hostVersion?: string } {
  return typeof value === "string" && VERSION.test(value) ? { hostVersion: value } : {};
}

/** Begins with a number, and is short: whatever else stands in such a field is not worth keeping. */
const VERSION = /^v?\d[\w.+-]{0,39}$/;

/** For transcripts that tell it once, in their first line, when only what was added to them is read. */
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
