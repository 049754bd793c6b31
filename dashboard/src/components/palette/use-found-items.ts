import { useEffect, useState } from "preact/hooks";
import type { Output } from "../../api/api-result.ts";
import { callOperation } from "../../api/call.ts";
import { makePath, rulePath, sessionPath } from "../../browser/route.ts";
import { formatCount } from "../../text/count.ts";
import type { PaletteItem } from "./palette-item.ts";

export type FoundItems = {
  readonly items: readonly PaletteItem[];
  readonly searching: boolean;
  readonly failed: boolean;
};

const PAUSE_MS = 150;
const EACH = 5;
const nothing: FoundItems = { items: [], searching: false, failed: false };

/** The server's search results, requested shortly after the last key. A superseded search is aborted. */
export function useFoundItems(typed: string): FoundItems {
  const words = typed.trim();
  const [found, setFound] = useState<FoundItems>(nothing);
  useEffect(() => {
    if (words === "") return setFound(nothing);
    setFound((before) => ({ ...before, searching: true }));
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const next = await search(words, stop.signal);
      if (!stop.signal.aborted) setFound(next);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [words]);
  return found;
}

async function search(words: string, stop: AbortSignal): Promise<FoundItems> {
  const [things, sessions] = await Promise.all([
    callOperation("find", { query: words, limit: EACH }, stop),
    callOperation("sessions/search", { query: words, limit: EACH, by: "words" }, stop),
  ]);
  return {
    items: [
      ...(things.kind === "done" ? listThings(things.value) : []),
      ...(sessions.kind === "done" ? sessions.value.hits.map(toSessionItem) : []),
    ],
    searching: false,
    failed: things.kind === "failed" || sessions.kind === "failed",
  };
}

function listThings({ rules, memories, mistakes, entries }: Output<"find">): readonly PaletteItem[] {
  return [
    ...rules.map(({ id, text, status, level }) => ({
      key: `rule ${id}`,
      group: "Rules",
      text,
      detail: `${status}, ${level}`,
      href: rulePath(id),
    })),
    ...mistakes.map(({ signature, text, count }) => ({
      key: `mistake ${signature}`,
      group: "Mistakes",
      text,
      detail: `${formatCount(count)}×`,
      href: makePath("/failures", { signature }),
    })),
    ...memories.map(({ id, text, kind }) => ({
      key: `memory ${id}`,
      group: "Memories",
      text,
      detail: kind,
      href: makePath("/memory", { memory: id }),
    })),
    ...entries.map(({ id, kind, what, pattern }) => ({
      key: `entry ${id}`,
      group: "Ledger",
      text: what,
      detail: `${kind} of ${pattern}`,
      href: makePath("/ledger", { pattern, entry: id }),
    })),
  ];
}

function toSessionItem({ session, seq, title, snippet, host }: Output<"sessions/search">["hits"][number]): PaletteItem {
  return {
    key: `session ${session} ${seq}`,
    group: "Sessions",
    text: snippet,
    detail: title ?? host,
    href: sessionPath(session, seq),
  };
}
