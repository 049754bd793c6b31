import { effect, signal } from "@preact/signals";
import { makeAuthHeader } from "./call.ts";
import { makeEventStreamReader, type StreamMessage } from "./event-stream.ts";
import { isLocked, refuseToken } from "./token.ts";

export type LiveState = "connecting" | "live" | "reconnecting";

export const liveState = signal<LiveState>("connecting");

/** Increases whenever displayed data may be out of date. */
export const refreshCount = signal(0);

const SETTLE_MS = 300;
// The server sends a heartbeat every 15 s; after two missed ones the connection counts as dead.
const SILENCE_MS = 40_000;
const LONGEST_WAIT_MS = 30_000;

/** What a page wants to hear beside changes. */
export type LiveTopic = {
  /** The query of the address; read again for each connection. */
  readonly query: () => string;
  readonly onMessage: (message: StreamMessage) => void;
};

let topic: LiveTopic | null = null;
let line: AbortController | null = null;
let isSwitching = false;

/** Opens the stream again with the topic. A tab has one stream, because a browser opens few connections to a server. */
export function followTopic(next: LiveTopic): () => void {
  topic = next;
  switchLine();
  return () => {
    if (topic !== next) return;
    topic = null;
    switchLine();
  };
}

function switchLine(): void {
  isSwitching = true;
  line?.abort();
}

export function followLive(): void {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && missed) noteChange();
  });
  const stop = effect(() => {
    if (isLocked.value) return;
    queueMicrotask(() => stop());
    void keepConnected();
  });
}

async function keepConnected(): Promise<void> {
  let attempt = 0;
  while (!isLocked.value) {
    isSwitching = false;
    const opened = await listen();
    if (isSwitching) continue;
    liveState.value = "reconnecting";
    attempt = opened ? 0 : attempt + 1;
    await pause(computeReconnectDelay(attempt, Math.random()));
  }
}

/**
 * Exponential backoff from 1 s to 30 s. `spread` (0 to 1) is jitter, so that tabs do not reconnect at the same time.
 */
export function computeReconnectDelay(attempt: number, spread: number): number {
  return Math.min(LONGEST_WAIT_MS, 1000 * 2 ** attempt) * (0.75 + spread / 2);
}

async function listen(): Promise<boolean> {
  const own = new AbortController();
  line = own;
  let opened = false;
  try {
    const query = topic === null ? "" : `?${topic.query()}`;
    const response = await fetch(`/api/live${query}`, { headers: makeAuthHeader(), signal: own.signal });
    if (response.status === 401) refuseToken();
    if (!response.ok || response.body === null) return false;
    opened = true;
    // Changes made while disconnected were not announced.
    if (liveState.value === "reconnecting") noteChange();
    liveState.value = "live";
    await readAll(response.body, own);
    return opened;
  } catch {
    // A dropped connection is the normal end of a stream; the caller reconnects.
    return opened;
  }
}

async function readAll(body: ReadableStream<Uint8Array>, own: AbortController): Promise<void> {
  const read = makeEventStreamReader();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const watchdog = setTimeout(() => own.abort(), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(watchdog));
    if (done) return;
    const messages = read(decoder.decode(value, { stream: true }));
    if (own.signal.aborted) return;
    for (const message of messages) {
      if (message.event === "change") noteChange();
      else topic?.onMessage(message);
    }
  }
}

/** Reloads everything on the page, after a change made by this page. */
export function refreshAll(): void {
  refreshCount.value += 1;
}

let missed = false;
let settleTimer: ReturnType<typeof setTimeout> | undefined;

function noteChange(): void {
  // A hidden tab is not refreshed; it refreshes once when shown again.
  missed = document.hidden;
  if (missed || settleTimer !== undefined) return;
  settleTimer = setTimeout(() => {
    settleTimer = undefined;
    refreshCount.value += 1;
  }, SETTLE_MS);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
