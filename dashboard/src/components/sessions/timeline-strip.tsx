import type { SessionEvent } from "../../api/contract.ts";
import { formatSpan, formatTimeOfDay } from "../../text/ago.ts";
import { type Gap, type Mark, type MarkKind, computeTimeline } from "./timeline.ts";

type Props = {
  readonly events: readonly SessionEvent[];
  readonly position: number | null;
  readonly onPick: (seq: number) => void;
};

const MARKS = 300;
const FLOOR = 26;
const heights: Readonly<Record<MarkKind, number>> = { plain: 7, ok: 10, prompt: 16, stopped: 18, failure: 20 };
const fills: Readonly<Record<MarkKind, string>> = {
  plain: "fill-edge",
  ok: "fill-good/70",
  prompt: "fill-link",
  stopped: "fill-warn",
  failure: "fill-fail",
};

/** The session along time. For the mouse only; the slider around it serves keys and screen readers. */
export function TimelineStrip({ events, position, onPick }: Props) {
  const { marks, gaps } = computeTimeline(events, MARKS);
  const current = position === null ? undefined : marks.findLast(({ first }) => first <= position);
  const pick = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const mark = nearest(marks, ((event.clientX - box.left) / box.width - EDGE) / (1 - 2 * EDGE));
    if (mark) onPick(mark.seq);
  };
  return (
    <svg class="block h-10 w-full cursor-pointer" aria-hidden="true" onClick={pick}>
      <line class="stroke-line" x1={at(0)} x2={at(1)} y1={FLOOR} y2={FLOOR} />
      {gaps.map((gap) => (
        <GapMark key={gap.from} gap={gap} />
      ))}
      {marks.map((mark) => (
        <g key={mark.first} class={position !== null && mark.first > position ? "opacity-45" : ""}>
          <rect
            class={fills[mark.kind]}
            x={at(mark.x)}
            y={FLOOR - heights[mark.kind]}
            width={3}
            height={heights[mark.kind]}
            transform="translate(-1.5 0)"
          />
          {mark.kind === "failure" && <circle class="fill-fail" cx={at(mark.x)} cy={FLOOR - 21} r={3.5} />}
        </g>
      ))}
      {current && (
        <rect class="fill-brass" x={at(current.x)} y={0} width={2} height={FLOOR + 3} transform="translate(-1 0)" />
      )}
      <Labels events={events} gaps={gaps} />
    </svg>
  );
}

function GapMark({ gap }: { readonly gap: Gap }) {
  return (
    <>
      <line class="stroke-paper" x1={at(gap.from)} x2={at(gap.to)} y1={FLOOR} y2={FLOOR} stroke-width="2" />
      <line
        class="stroke-faint"
        x1={at(gap.from)}
        x2={at(gap.to)}
        y1={FLOOR}
        y2={FLOOR}
        stroke-width="2"
        stroke-dasharray="1 4"
        stroke-linecap="round"
      />
    </>
  );
}

/** Start time, end time, and the lengths of gaps for which there is room. */
function Labels({ events, gaps }: { readonly events: readonly SessionEvent[]; readonly gaps: readonly Gap[] }) {
  const first = events[0];
  const last = events.at(-1);
  return (
    <g class="fill-faint text-[0.6875rem]">
      {first && (
        <text x={at(0)} y={38}>
          {clock(first)}
        </text>
      )}
      {withRoom(gaps).map((gap) => (
        <text
          key={gap.from}
          class={nearEdge(gap, ROOM) ? "max-sm:hidden" : ""}
          x={at(middle(gap))}
          y={38}
          text-anchor="middle"
        >
          {formatSpan(gap.ms)}
        </text>
      ))}
      {last && last !== first && (
        <text x={at(1)} y={38} text-anchor="end">
          {clock(last)}
        </text>
      )}
    </g>
  );
}

// Fractions of the width: the space a label needs on a narrow screen, and next to the first and last label on a wide
// one.
const ROOM = 0.19;
const ROOM_AT_EDGES = 0.075;

function withRoom(gaps: readonly Gap[]): readonly Gap[] {
  const kept: Gap[] = [];
  for (const gap of gaps.toSorted((a, b) => b.ms - a.ms)) {
    const x = middle(gap);
    const free = !nearEdge(gap, ROOM_AT_EDGES) && kept.every((other) => Math.abs(middle(other) - x) > ROOM);
    if (free) kept.push(gap);
  }
  return kept;
}

function nearest(marks: readonly Mark[], x: number): Mark | undefined {
  return marks.toSorted((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0];
}

function nearEdge(gap: Gap, room: number): boolean {
  return middle(gap) < room || middle(gap) > 1 - room;
}

function middle({ from, to }: Gap): number {
  return (from + to) / 2;
}

// Space for half a mark at both ends.
const EDGE = 0.006;

function at(x: number): string {
  return `${(EDGE + x * (1 - 2 * EDGE)) * 100}%`;
}

function clock({ at: time }: SessionEvent): string {
  return formatTimeOfDay(Date.parse(time)).slice(0, 5);
}
