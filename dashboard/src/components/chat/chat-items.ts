import type { ChatEntry } from "../../api/contract.ts";

export type EntryOf<Kind extends ChatEntry["kind"]> = Extract<ChatEntry, { readonly kind: Kind }>;

/** An entry as it is shown. */
export type ChatItem = {
  readonly entry: Exclude<ChatEntry, { readonly kind: "tool" }> | EntryOf<"tool">;
  /** The results of the calls of an answer, by the call's id. */
  readonly results: ReadonlyMap<string, EntryOf<"tool">>;
  /** It belongs to a turn that was taken back. */
  readonly isUndone: boolean;
  /** What a turn used, at its end. */
  readonly sums: TurnSums | null;
};

export type TurnSums = {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokensCached: number;
  readonly cost: number;
};

/** Puts results to their calls, marks what was taken back, and adds up each turn. */
export function listChatItems(entries: readonly ChatEntry[]): readonly ChatItem[] {
  const undone = findUndone(entries);
  const items: ChatItem[] = [];
  let open: { readonly ids: ReadonlySet<string>; readonly results: Map<string, EntryOf<"tool">> } | null = null;
  for (const entry of entries) {
    const isUndone = undone.has(entry.seq);
    if (entry.kind === "tool" && open?.ids.has(entry.id) === true && !open.results.has(entry.id)) {
      open.results.set(entry.id, entry);
      continue;
    }
    const results = new Map<string, EntryOf<"tool">>();
    if (entry.kind === "assistant") open = { ids: new Set(entry.calls.map(({ id }) => id)), results };
    items.push({ entry, results, isUndone, sums: entry.kind === "turn-end" ? sumTurn(entries, entry) : null });
  }
  return items;
}

function findUndone(entries: readonly ChatEntry[]): ReadonlySet<number> {
  const undone = new Set<number>();
  for (const [at, entry] of entries.entries()) {
    if (entry.kind !== "undo") continue;
    for (const one of entries.slice(0, at)) if ("turn" in one && one.turn >= entry.turn) undone.add(one.seq);
  }
  return undone;
}

/** Null if the beginning of the turn is not loaded. */
function sumTurn(entries: readonly ChatEntry[], end: EntryOf<"turn-end">): TurnSums | null {
  const until = entries.indexOf(end);
  const before = entries.slice(0, until).findLastIndex(({ kind }) => kind === "turn-end");
  const ofTurn = entries.slice(before + 1, until).filter((one) => "turn" in one && one.turn === end.turn);
  if (ofTurn.find(({ kind }) => kind === "user") === undefined) return null;
  const answers = ofTurn.filter((one) => one.kind === "assistant");
  return answers.reduce<TurnSums>(
    (sum, one) => ({
      calls: sum.calls + 1,
      tokensIn: sum.tokensIn + one.tokensIn,
      tokensOut: sum.tokensOut + one.tokensOut,
      tokensCached: sum.tokensCached + one.tokensCached,
      cost: sum.cost + one.cost,
    }),
    { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0 },
  );
}
