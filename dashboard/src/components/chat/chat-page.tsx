import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApiProblem, ApiResult } from "../../api/api-result.ts";
import { callChat, type ChatState, type ModelWait, type UndoneTurn } from "../../api/chat.ts";
import { useChatSession } from "../../api/use-chat-session.ts";
import { useResource } from "../../api/use-resource.ts";
import { makePath, sessionPath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { WaitingCard } from "../approvals/waiting-card.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";
import { Skeleton } from "../frame/skeleton.tsx";
import { useKeys } from "../frame/use-keys.ts";
import { ModeChoice, ModelChoice } from "./chat-choices.tsx";
import { ChatHead } from "./chat-head.tsx";
import { Composer } from "./composer.tsx";
import { listChatItems } from "./chat-items.ts";
import { EntryView } from "./entry-view.tsx";
import { isBeingWritten, LivePart } from "./live-part.tsx";
import { useSeconds } from "./use-seconds.ts";
import { useStickToEnd } from "./use-stick-to-end.ts";
import { WaitingMessages } from "./waiting-messages.tsx";

/** A session of oldhand's own agent: what was said and done, live, and the field to write on. */
export function ChatPage({ id }: { readonly id: string }) {
  const { session, usage, entries, hasEarlier, state, problem, loadEarlier, loadWhole, reload } = useChatSession(id);
  const approvals = useResource("approvals/list", { status: "waiting", session: id });
  const waiting = approvals.value?.approvals ?? [];
  const items = listChatItems(entries);
  const live = state?.live ?? null;
  const list = useRef<HTMLOListElement>(null);
  useStickToEnd(`${entries.at(-1)?.seq} ${live?.text.length} ${waiting.length}`, session !== null);

  // What is read before the first entry must not move what is on screen.
  const height = useRef<number | null>(null);
  const first = entries[0]?.seq;
  useLayoutEffect(() => {
    if (height.current === null) return;
    scrollBy({ top: (list.current?.offsetHeight ?? 0) - height.current, behavior: "instant" });
    height.current = null;
  }, [first]);
  const showEarlier = () => {
    height.current = list.current?.offsetHeight ?? null;
    void loadEarlier();
  };

  if (problem?.code === "not-found" && session === null) return <NoEntries id={id} />;
  return (
    // The field to write in reaches down to the lower edge of the screen.
    <div class="-mb-20 flex min-h-[calc(100dvh-4.75rem)] flex-col max-md:min-h-[calc(100dvh-9.5rem)]">
      <ChatHead id={id} session={session} usage={usage} window={state?.usage?.contextWindow ?? null} />
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {session === null && problem === null && <Skeleton rows={8} />}
      {hasEarlier && (
        <p class="py-3 text-center">
          <button type="button" class="press" onClick={showEarlier}>
            Earlier entries
          </button>
        </p>
      )}
      <ol ref={list} aria-label="Conversation" class="flex max-w-[90ch] flex-col gap-3.5 pb-4">
        {items.map((item) => (
          <li
            key={item.entry.seq}
            class={item.isUndone ? "border-l-2 border-line pl-2 line-through decoration-faint" : ""}
          >
            {item.isUndone && <span class="sr-only">Taken back: </span>}
            <EntryView item={item} tools={live?.tools ?? []} onWhole={(seq) => void loadWhole(seq)} />
          </li>
        ))}
        {live !== null && isBeingWritten(live, entries) && (
          <li>
            <LivePart live={live} />
          </li>
        )}
        {state?.notices.map((notice, index) => (
          <li key={`notice ${index}`} class="text-sm [overflow-wrap:anywhere] text-brass">
            {notice}
          </li>
        ))}
        {waiting.map((approval) => (
          <li key={approval.id}>
            <WaitingCard approval={approval} isInSession />
          </li>
        ))}
      </ol>
      {session !== null && state !== null && (
        <Writing
          id={id}
          state={state}
          parent={session.parent}
          waiting={waiting.length}
          isEmpty={entries.length === 0}
        />
      )}
    </div>
  );
}

type WritingProps = {
  readonly id: string;
  readonly state: ChatState;
  readonly parent: string | null;
  /** How many approvals wait. */
  readonly waiting: number;
  readonly isEmpty: boolean;
};

/** The lower edge of the page: what the agent does, and what can be done about it. */
function Writing({ id, state, parent, waiting, isEmpty }: WritingProps) {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [said, setSaid] = useState("");
  const [given, setGiven] = useState<string | null>(null);
  const { access, holder, live, mode, model } = state;
  const isWorking = live !== null;
  const now = useSeconds(live?.wait != null);
  const take = async <T,>(result: Promise<ApiResult<T>>, then?: (value: T) => void) => {
    const done = await result;
    setProblem(done.kind === "failed" ? done.problem : null);
    if (done.kind === "done") then?.(done.value);
  };
  const stop = () => void take(callChat("stop", { session: id }));
  useKeys({ s: { does: "Stop the turn", run: () => isWorking && stop() } });
  if (access === "elsewhere" || access === "sub-agent") return <ReadOnly holder={holder} parent={parent} />;
  const onUndone = (undone: UndoneTurn) => {
    setSaid(describeUndone(undone));
    if (undone.kind === "undone") setGiven(undone.text);
  };
  return (
    <div class="sticky bottom-0 z-10 -mx-4 mt-auto border-t border-line bg-paper px-4 pt-2 pb-3 sm:-mx-6 sm:px-6 md:-mx-9 md:px-9">
      <div class="flex max-w-[90ch] flex-col gap-2">
        <WaitingMessages session={id} waiting={state.waiting} isWorking={isWorking} onProblem={setProblem} />
        {problem && <ProblemNotice problem={problem} />}
        <div class="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
          <p role="status" class={waiting > 0 ? "text-warn" : "text-soft"}>
            {describeWork(state, waiting, now) || said}
          </p>
          <div class="ml-auto flex gap-2">
            {isWorking ? (
              <button type="button" class="press border-fail text-fail" aria-keyshortcuts="s" onClick={stop}>
                Stop
              </button>
            ) : (
              <>
                <button
                  type="button"
                  class="press"
                  disabled={isEmpty}
                  title="Takes back the last turn and its file changes"
                  onClick={() => void take(callChat("undo", { session: id }), onUndone)}
                >
                  Undo the last turn
                </button>
                <button
                  type="button"
                  class="press"
                  disabled={isEmpty}
                  title="Replaces what was said so far by a summary for the model; here it stays readable"
                  onClick={() => void take(callChat("compact", { session: id }))}
                >
                  Compact
                </button>
              </>
            )}
          </div>
        </div>
        <Composer
          draft={id}
          label="Message to the agent"
          isWorking={isWorking}
          given={given}
          onSend={async (text, meanwhile) => {
            setSaid("");
            setGiven(null);
            const sent = await callChat("send", { session: id, text, meanwhile });
            return sent.kind === "failed" ? sent.problem : null;
          }}
        >
          <ModeChoice
            mode={mode}
            onChange={(next) => next !== null && void take(callChat("mode", { session: id, mode: next }))}
          />
          <ModelChoice model={model} onChange={(next) => void take(callChat("model", { session: id, model: next }))} />
        </Composer>
      </div>
    </div>
  );
}

function describeWork({ live }: ChatState, waiting: number, now: number): string {
  if (waiting > 0) return `${formatMany(waiting, "action waits", "actions wait")} for your answer`;
  if (live === null) return "";
  if (live.wait !== null && live.wait.until > now) return describeWait(live.wait, now);
  if (live.work === "compaction") return "Compacting…";
  const [tool] = live.tools;
  return tool === undefined ? "Working…" : `Working: ${tool.name}`;
}

function describeWait({ provider, why, until }: ModelWait, now: number): string {
  return `Waiting ${Math.max(1, Math.round((until - now) / 1_000))} s for ${provider} (${why})`;
}

function describeUndone(undone: UndoneTurn): string {
  if (undone.kind === "nothing") return "There is no turn to take back.";
  if (undone.kind === "refused")
    return `You or a program edited these files after the turn: ${undone.changed.join(", ")}. Nothing was undone.`;
  const others = undone.others ?? [];
  const files = undone.files.length === 0 ? "" : ` with ${formatMany(undone.files.length, "file")}`;
  return `Taken back${files}.${others.length === 0 ? "" : ` Changed in other ways, and left as they are: ${others.join(", ")}`}`;
}

function ReadOnly({ holder, parent }: { readonly holder: string | null; readonly parent: string | null }) {
  return (
    <p role="note" class="border-l-2 border-warn bg-mark/60 px-3 py-2 text-sm">
      {parent === null ? (
        <>
          This session is open elsewhere{holder === null ? "" : ` (${holder})`}, so it can only be read here. What
          happens there is shown as it happens. To write here, leave it there: in a terminal press Ctrl-C twice.
        </>
      ) : (
        <>
          A sub-agent&apos;s session can only be read. <a href={sessionPath(parent)}>The session that started it</a>
        </>
      )}
    </p>
  );
}

function NoEntries({ id }: { readonly id: string }) {
  return (
    <>
      <h1 tabIndex={-1}>Session</h1>
      <p class="mt-2 text-soft">
        There is no conversation of this name.{" "}
        <a href={makePath(sessionPath(id), { view: "events" })}>Show its events, if there are any</a>
      </p>
    </>
  );
}
