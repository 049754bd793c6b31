import { useEffect, useState } from "preact/hooks";
import { usePlace } from "../actions/commands.ts";
import { sessionSubject } from "../actions/subjects.ts";
import type { SessionEvent } from "../api/contract.ts";
import { useEvents } from "../api/use-events.ts";
import { replaceLocation, getQueryParameter } from "../browser/location.ts";
import { type Params, sessionPath } from "../browser/route.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { makeLazyComponent } from "../components/lazy-component.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { allEvents, EventFilter, type EventListFilter } from "../components/sessions/event-filter.tsx";
import { isFailedEvent } from "../components/sessions/outcome.ts";
import { formatCount, formatMany } from "../text/count.ts";
import { formatValue } from "../text/difference.ts";
import { hasAllWords } from "../text/has-all-words.ts";
import { EventRow } from "../components/sessions/event-row.tsx";
import { ProblemNotice } from "../components/frame/problem-notice.tsx";
import { ReplayBar } from "../components/sessions/replay-bar.tsx";
import { SessionHead } from "../components/sessions/session-head.tsx";
import { SessionShown } from "../components/sessions/session-shown.tsx";
import { Skeleton } from "../components/frame/skeleton.tsx";
import { useFailureJump } from "../components/sessions/use-failure-jump.ts";
import { useReplay } from "../components/sessions/use-replay.ts";
import { useWholeSession } from "../components/sessions/use-whole-session.ts";
import { noFilter, type View } from "../view.ts";

export const session: View = { path: "/sessions/:id", title: "Session", filter: noFilter, Page: SessionPage };

/** oldhand's own sessions read as conversations; a link to one call, or `view=events`, shows events as for other hosts. */
function SessionPage({ params }: { readonly params: Params }) {
  const id = params["id"] ?? "";
  const isChat = id.startsWith("chat_") && getQueryParameter("view") !== "events" && getQueryParameter("at") === null;
  return isChat ? <ChatPage id={id} /> : <EventsPage id={id} />;
}

const ChatPage = makeLazyComponent<{ readonly id: string }>(
  async () => (await import("../components/chat/chat-page.tsx")).ChatPage,
);

function EventsPage({ id }: { readonly id: string }) {
  const at = parseSeq(getQueryParameter("at"));
  const events = useEvents(id, at);
  const subject = sessionSubject(id);
  usePlace(subject);
  useWholeSession(events);
  const { window, problem, loading, loadEarlier, loadLater, reload } = events;
  const show = (seq: number) => replaceLocation(sessionPath(id, seq));
  const replay = useReplay(events, at, show);
  const { position } = replay;
  const jump = useFailureJump(events, position, replay.goTo);
  const ready = position !== null && window.events.some(({ seq }) => seq === position);
  useEffect(() => {
    if (ready) document.getElementById(`event-${position}`)?.scrollIntoView({ block: "center" });
  }, [position, ready, window.after]);

  const [filter, setFilter] = useState(allEvents);
  const isNarrow = filter.words.trim() !== "" || filter.failed;
  const shown = isNarrow ? window.events.filter((event) => isMatching(event, filter)) : window.events;
  const describeFound = (count: number) =>
    isNarrow ? `${formatCount(count)} of ${formatMany(window.events.length, "event")}` : "";

  return (
    <>
      <SessionHead id={id} session={window.session} />
      {id.startsWith("chat_") && (
        <p class="mb-3 text-sm">
          <a href={sessionPath(id)}>Read it as a conversation</a>
        </p>
      )}
      {window.session && (
        <div class="mb-4">
          <ActionBar subject={subject} label="This session" />
        </div>
      )}
      {window.session && <SessionShown id={id} />}
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {window.session === null && problem === null && <Skeleton rows={12} />}
      {window.session && window.events.length > 0 && <ReplayBar window={window} replay={replay} jump={jump} />}
      {window.session && window.events.length === 0 && (
        <Empty title="No events in this session" text="It was opened, and nothing has happened in it yet." />
      )}
      {window.events.length > 0 && (
        <EventFilter filter={filter} onChange={setFilter} found={describeFound(shown.length)} />
      )}
      {window.after !== null && <More text="Earlier events" disabled={loading} onClick={loadEarlier} />}
      <ol class="border-t border-line/70">
        {shown.map((event) => (
          <EventRow key={event.id} event={event} isTarget={event.seq === position} />
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

function isMatching(event: SessionEvent, { words, failed }: EventListFilter): boolean {
  const { tool, summary, text, error, input } = event;
  if (failed && !isFailedEvent(event)) return false;
  return hasAllWords([tool, summary, text, error, formatValue(input)], words);
}

function parseSeq(text: string | null): number | null {
  const seq = text === null || text === "" ? Number.NaN : Number(text);
  return Number.isInteger(seq) ? seq : null;
}
