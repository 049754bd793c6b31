import type { ComponentChildren } from "preact";
import type { SessionEvent } from "../../api/contract.ts";
import type { EventWindow } from "../../api/event-window.ts";
import { formatSpan, formatTimeOfDay } from "../../text/ago.ts";
import { dropToolName } from "../../text/drop-tool-name.ts";
import { formatMany } from "../../text/count.ts";
import { Icon } from "../icon.tsx";
import { isFailedEvent, getOutcomeLabel } from "./outcome.ts";
import { TimelineStrip } from "./timeline-strip.tsx";
import type { Jump } from "./use-failure-jump.ts";
import type { Replay } from "./use-replay.ts";

type Props = { readonly window: EventWindow; readonly replay: Replay; readonly jump: Jump };

/** Sticky bar: the session's timeline, the replay controls, and buttons to the next and previous failure. */
export function ReplayBar({ window, replay, jump }: Props) {
  const { events } = window;
  const failures = events.filter(isFailedEvent);
  const position = failures.findIndex(({ seq }) => seq === replay.position) + 1;
  return (
    <section aria-label="Replay" class="sticky top-0 z-10 -mx-1 border-b border-line bg-paper px-1 pt-2 pb-2">
      <Slider events={events} replay={replay} />
      <div class="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <Controls replay={replay} />
        <p
          class="min-w-0 flex-1 truncate text-sm text-soft max-sm:order-1 max-sm:basis-full"
          aria-live={replay.playing ? "off" : "polite"}
        >
          <Caption window={window} position={replay.position} />
        </p>
        <div class="flex items-center gap-1.5 text-sm text-soft max-sm:ml-auto">
          <span class="whitespace-nowrap" aria-live="polite">
            {position > 0 ? `failure ${position} of ${failures.length}` : formatMany(failures.length, "failure")}
          </span>
          <Press label="Previous failure" keys="p" onClick={() => void jump("previous")}>
            <Icon name="up" />
          </Press>
          <Press label="Next failure" keys="n" onClick={() => void jump("next")}>
            <Icon name="down" />
          </Press>
        </div>
      </div>
    </section>
  );
}

function Slider({ events, replay }: { readonly events: readonly SessionEvent[]; readonly replay: Replay }) {
  const index = events.findIndex(({ seq }) => seq === replay.position);
  const event = events[index];
  const onKeyDown = (key: KeyboardEvent) => {
    const action = findKeyAction(key.key, events, replay);
    if (action === null) return;
    key.preventDefault();
    action();
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Place in the session"
      aria-valuemin={1}
      aria-valuemax={events.length}
      aria-valuenow={Math.max(1, index + 1)}
      aria-valuetext={event ? `${formatTimeOfDay(Date.parse(event.at))}, ${describeEvent(event)}` : "at no event"}
      onKeyDown={onKeyDown}
    >
      <TimelineStrip events={events} position={replay.position} onPick={replay.goTo} />
    </div>
  );
}

function findKeyAction(key: string, events: readonly SessionEvent[], replay: Replay): (() => void) | null {
  const first = events[0];
  const last = events.at(-1);
  if (key === "ArrowRight" || key === "ArrowUp") return () => void replay.step("next");
  if (key === "ArrowLeft" || key === "ArrowDown") return () => void replay.step("previous");
  if (key === "Home" && first) return () => replay.goTo(first.seq);
  if (key === "End" && last) return () => replay.goTo(last.seq);
  return key === " " || key === "Enter" ? replay.toggle : null;
}

function Controls({ replay }: { readonly replay: Replay }) {
  return (
    <div role="group" aria-label="Replay controls" class="flex items-center gap-1.5">
      <Press label="Previous event" keys="," onClick={() => void replay.step("previous")}>
        <Icon name="back" />
      </Press>
      <Press label={replay.playing ? "Pause" : "Play"} keys="r" onClick={replay.toggle}>
        <Icon name={replay.playing ? "pause" : "play"} />
      </Press>
      <Press label="Next event" keys="." onClick={() => void replay.step("next")}>
        <Icon name="forth" />
      </Press>
      <button
        type="button"
        class="press px-2 text-xs"
        aria-label={`Speed: ${replay.speed} times`}
        title="Speed"
        onClick={replay.faster}
      >
        {replay.speed}×
      </button>
    </div>
  );
}

type PressProps = {
  readonly label: string;
  readonly keys: string;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
};

function Press({ label, keys, onClick, children }: PressProps) {
  return (
    <button
      type="button"
      class="press px-2"
      aria-label={label}
      aria-keyshortcuts={keys}
      title={`${label} (${keys})`}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

function Caption({ window, position }: { readonly window: EventWindow; readonly position: number | null }) {
  const event = window.events.find(({ seq }) => seq === position);
  if (!event || !window.session) return <Hint window={window} />;
  const since = Date.parse(event.at) - Date.parse(window.session.startedAt);
  return (
    <>
      <span class="text-faint">{since > 0 ? `after ${formatSpan(since)}` : "at the start"}</span>{" "}
      <span class={isFailedEvent(event) ? "text-fail" : "text-ink"}>{describeEvent(event)}</span>
    </>
  );
}

function Hint({ window: { events, session } }: { readonly window: EventWindow }) {
  if (session && events.length < session.events)
    return <>{`${events.length} of ${formatMany(session.events, "event")} read`}</>;
  return (
    <span class="text-faint max-sm:hidden">
      <Key name="r" /> plays, <Key name="," /> and <Key name="." /> step
    </span>
  );
}

function Key({ name }: { readonly name: string }) {
  return <kbd class="rounded-[3px] border border-line px-1 text-soft">{name}</kbd>;
}

function describeEvent(event: SessionEvent): string {
  const verdict = event.outcome === "ok" ? null : getOutcomeLabel(event);
  return `${event.tool ?? event.kind}: ${dropToolName(event.summary, event.tool)}${verdict ? ` (${verdict.text})` : ""}`;
}
