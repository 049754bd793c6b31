import { existsSync, statSync } from "node:fs";
import { findHost } from "../hosts/list.ts";
import { agentFramework } from "./agent-framework.ts";
import { claudeMem } from "./claude-mem.ts";
import { hermes } from "./hermes.ts";
import { learnedBehavior } from "./learned-behavior.ts";
import { livingBoard } from "./living-board.ts";
import type { OtherStore } from "./other-store.ts";

/** Every product whose store can be imported. To add one, add its file and its entry here. */
export const otherStores: readonly OtherStore[] = [learnedBehavior, livingBoard, hermes, claudeMem, agentFramework];

/** The store named by `from`, or found at the path; null if it is an ordinary file, such as a host's transcript. */
export function findOtherStore(path: string, from: string | null): OtherStore | null {
  if (from === null) return otherStores.find((store) => store.isAt(path)) ?? null;
  const store = otherStores.find(({ name }) => name === from);
  if (store === undefined) return null;
  // If a host has the same name, a file that the store does not read is a transcript of the host.
  const isTranscript = findHost(from) !== undefined && isFile(path) && !store.isAt(path);
  return isTranscript ? null : store;
}

/** The paths to import for one that was given: a store's folder may also hold transcripts of the host of its name. */
export function listPathsToImport(path: string, from: string | null): readonly FoundPath[] {
  const store = isFolder(path) ? findOtherStore(path, from) : null;
  const transcripts = store?.transcripts?.(path) ?? [];
  if (store === null || transcripts.length === 0) return [{ path, from }];
  const hasMore = store.files(path).some((file) => existsSync(file));
  return [...transcripts.map((file) => ({ path: file, from: store.name })), ...(hasMore ? [{ path, from }] : [])];
}

interface FoundPath {
  readonly path: string;
  readonly from: string | null;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
