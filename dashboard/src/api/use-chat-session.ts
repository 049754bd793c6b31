import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ApiProblem } from "./api-result.ts";
import { callOperation } from "./call.ts";
import type { ChatState } from "./chat.ts";
import type { ChatEntry, ChatSession, ChatUsage } from "./contract.ts";
import { followTopic, refreshCount } from "./live.ts";

export type FollowedChat = {
  readonly session: ChatSession | null;
  readonly usage: ChatUsage | null;
  /** The last entries, without gaps; earlier ones are read on demand. */
  readonly entries: readonly ChatEntry[];
  readonly hasEarlier: boolean;
  readonly state: ChatState | null;
  readonly problem: ApiProblem | null;
  readonly loadEarlier: () => Promise<void>;
  /** Reads an entry again, with its whole texts. */
  readonly loadWhole: (seq: number) => Promise<void>;
  readonly reload: () => void;
};

type Read = {
  readonly session: ChatSession | null;
  readonly usage: ChatUsage | null;
  readonly entries: readonly ChatEntry[];
};

const PAGE = 100;

/** A session of oldhand's own agent: its last entries, then what happens in it, as it happens. */
export function useChatSession(id: string): FollowedChat {
  const read = useSignal<Read>({ session: null, usage: null, entries: [] });
  const state = useSignal<ChatState | null>(null);
  const problem = useSignal<ApiProblem | null>(null);
  const isReading = useRef(false);

  const add = (entries: readonly ChatEntry[], over: Partial<Read> = {}) => {
    read.value = { ...read.peek(), ...over, entries: mergeEntries(read.peek().entries, entries) };
  };
  const ask = async (range: { readonly before?: number; readonly after?: number; readonly limit?: number }) => {
    const result = await callOperation("sessions/entries", { id, limit: PAGE, ...range });
    problem.value = result.kind === "failed" ? result.problem : null;
    if (result.kind === "failed") return;
    const { session, usage, entries } = result.value;
    add(entries, { session, usage });
  };
  const lastSeq = () => read.peek().entries.at(-1)?.seq ?? 0;
  const load = async () => {
    if (isReading.current) return;
    isReading.current = true;
    await ask(lastSeq() === 0 ? {} : { after: lastSeq() });
    isReading.current = false;
  };

  // Reads it again after every change: the sums have changed, and the stream may have been away.
  const current = refreshCount.value;
  useEffect(() => void load(), [id, current]);

  const isLoaded = read.value.session !== null;
  useEffect(() => {
    if (!isLoaded) return;
    return followTopic({
      query: () => `session=${encodeURIComponent(id)}&after=${lastSeq()}`,
      onMessage: ({ event, data }) => {
        if (event === "entries") add((JSON.parse(data) as { entries: readonly ChatEntry[] }).entries);
        if (event === "state") state.value = JSON.parse(data) as ChatState;
        if (event === "text") state.value = addText(state.peek(), JSON.parse(data) as Partial<WrittenText>);
      },
    });
  }, [id, isLoaded]);

  const { session, usage, entries } = read.value;
  return {
    session,
    usage,
    entries,
    hasEarlier: (entries[0]?.seq ?? 1) > 1,
    state: state.value,
    problem: problem.value,
    loadEarlier: async () => ask({ before: entries[0]?.seq ?? 1 }),
    loadWhole: async (seq) => {
      const result = await callOperation("sessions/entries", { id, after: seq - 1, limit: 1, whole: true });
      if (result.kind === "done") add(result.value.entries);
    },
    reload: () => void load(),
  };
}

/** For an entry in both, the new one counts. */
export function mergeEntries(known: readonly ChatEntry[], fresh: readonly ChatEntry[]): readonly ChatEntry[] {
  if (fresh.length === 0) return known;
  const bySeq = new Map(known.map((one) => [one.seq, one]));
  for (const one of fresh) {
    const had = bySeq.get(one.seq);
    // What was read as a whole stays whole.
    if (had === undefined || had.isCut || !one.isCut) bySeq.set(one.seq, one);
  }
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}

type WrittenText = { readonly text: string; readonly reasoning: string };

function addText(state: ChatState | null, { text = "", reasoning = "" }: Partial<WrittenText>): ChatState | null {
  if (state?.live == null) return state;
  const { live } = state;
  return { ...state, live: { ...live, text: live.text + text, reasoning: live.reasoning + reasoning } };
}
