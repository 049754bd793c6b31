import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionEvent } from "../../api/contract.ts";
import type { Events } from "../../api/use-events.ts";
import { useKeys } from "../frame/use-keys.ts";

export type Direction = "next" | "previous";

export type Replay = {
  readonly playing: boolean;
  /** The seq of the event being shown. */
  readonly position: number | null;
  readonly speed: number;
  readonly toggle: () => void;
  readonly faster: () => void;
  readonly step: (direction: Direction) => Promise<void>;
  readonly goTo: (seq: number) => void;
};

const SPEEDS = [1, 2, 4] as const;

/** Replays a session event by event. Keys: r plays and pauses, comma and full stop step. */
export function useReplay(events: Events, at: number | null, show: (seq: number) => void): Replay {
  const [walked, setWalked] = useState<number | null>(null);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(1);
  const stillPlaying = useRef(false);
  stillPlaying.current = playing;
  const position = playing ? walked : at;

  const goTo = (seq: number) => {
    setPlaying(false);
    show(seq);
  };
  const step = async (direction: Direction) => {
    const found = await findReachable(events, position, direction);
    if (found !== null) goTo(found);
    else if (playing && position !== null) goTo(position);
  };
  const toggle = () => {
    if (playing && walked !== null) return goTo(walked);
    const { events: known, more } = events.window;
    const atEnd = !more && at !== null && at === known.at(-1)?.seq;
    setWalked(at === null || atEnd ? (known[0]?.seq ?? null) : at);
    setPlaying(known.length > 0);
  };
  // The address changes only when the replay stops: browsers limit how often it may be written.
  const walkOn = async () => {
    const found = await findReachable(events, walked, "next");
    if (!stillPlaying.current) return;
    if (found !== null) setWalked(found);
    else if (walked !== null) goTo(walked);
  };
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => void walkOn(), computePause(events.window.events, walked) / speed);
    return () => clearTimeout(timer);
  }, [playing, walked, speed]);
  useKeys({
    r: { does: "Play or pause the replay", run: toggle },
    ".": { does: "Step to the next event", run: () => void step("next"), repeats: true },
    ",": { does: "Step to the previous event", run: () => void step("previous"), repeats: true },
  });
  const faster = () => setSpeed(SPEEDS[(SPEEDS.findIndex((one) => one === speed) + 1) % SPEEDS.length] ?? 1);
  return { playing, position, speed, toggle, faster, step, goTo };
}

/** The next or previous event; loads more events at the end of the known range. */
async function findReachable(events: Events, position: number | null, direction: Direction): Promise<number | null> {
  const found = findNeighbour(events.window.events, position, direction);
  if (found !== null) return found;
  if (direction === "next" && events.window.more)
    return findNeighbour((await events.loadLater()).events, position, direction);
  if (direction === "previous" && events.window.after !== null)
    return findNeighbour((await events.loadEarlier()).events, position, direction);
  return null;
}

export function findNeighbour(
  events: readonly Pick<SessionEvent, "seq">[],
  position: number | null,
  direction: Direction,
): number | null {
  const at = position === null ? -1 : events.findIndex(({ seq }) => seq === position);
  const found = direction === "next" ? events[at + 1] : events[at - 1];
  return found?.seq ?? null;
}

/** Longer steps are shown longer, between 1 and 2.4 s. */
export function computePause(events: readonly Pick<SessionEvent, "seq" | "at">[], position: number | null): number {
  const index = events.findIndex(({ seq }) => seq === position);
  const [now, next] = events.slice(index);
  const ms = index === -1 || !now || !next ? 0 : Date.parse(next.at) - Date.parse(now.at);
  return Math.min(2_400, Math.max(1_000, ms / 20));
}
