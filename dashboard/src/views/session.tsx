import { useEffect } from "preact/hooks";
import { useEvents } from "../api/use-events.ts";
import { amend, query } from "../browser/location.ts";
import { type Params, sessionPath } from "../browser/route.ts";
import { Empty } from "../components/empty.tsx";
import { EventRow } from "../components/event-row.tsx";
import { Problem } from "../components/problem.tsx";
import { ReplayBar } from "../components/replay-bar.tsx";
import { SessionHead } from "../components/session-head.tsx";
import { SessionShown } from "../components/session-shown.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { useFailureJump } from "../components/use-failure-jump.ts";
import { useReplay } from "../components/use-replay.ts";
import { useWhole } from "../components/use-whole.ts";
import type { View } from "../view.ts";

export const session: View = { path: "/sessions/:id", title: "Session", Page: SessionPage };

function SessionPage({ params }: { readonly params: Params }) {
  const id = params["id"] ?? "";
  const at = seqIn(query("at"));
  const events = useEvents(id, at);
  useWhole(events);
  const { window, problem, loading, loadEarlier, loadLater, reload } = events;
  const show = (seq: number) => amend(sessionPath(id, seq));
  const replay = useReplay(events, at, show);
  const { here } = replay;
  const jump = useFailureJump(events, here, replay.goTo);
  const ready = here !== null && window.events.some(({ seq }) => seq === here);
  useEffect(() => {
    if (ready) document.getElementById(`event-${here}`)?.scrollIntoView({ block: "center" });
  }, [here, ready, window.after]);

  return (
    <>
      <SessionHead id={id} session={window.session} />
      {window.session && <SessionShown id={id} />}
      {problem && <Problem problem={problem} retry={reload} />}
      {window.session === null && problem === null && <Skeleton rows={12} />}
      {window.session && window.events.length > 0 && <ReplayBar window={window} replay={replay} jump={jump} />}
      {window.session && window.events.length === 0 && (
        <Empty title="No events in this session" text="It was opened, and nothing has happened in it yet." />
      )}
      {window.after !== null && <More text="Earlier events" disabled={loading} onClick={loadEarlier} />}
      <ol>
        {window.events.map((event) => (
          <EventRow key={event.id} event={event} asked={event.seq === here} />
        ))}
      </ol>
      {window.more && <More text="Later events" disabled={loading} onClick={loadLater} />}
    </>
  );
}

type MoreProps = {
  readonly text: string;
  readonly disabled: boolean;
  readonly onClick: () => unknown;
};

function More({ text, disabled, onClick }: MoreProps) {
  return (
    <p class="py-3 text-center">
      <button type="button" class="press" disabled={disabled} onClick={() => void onClick()}>
        {text}
      </button>
    </p>
  );
}

function seqIn(text: string | null): number | null {
  const seq = text === null || text === "" ? Number.NaN : Number(text);
  return Number.isInteger(seq) ? seq : null;
}
