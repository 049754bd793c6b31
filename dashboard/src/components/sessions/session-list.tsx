import type { Session } from "../../api/contract.ts";
import { makePath, sessionPath } from "../../browser/route.ts";
import { now } from "../../browser/clock.ts";
import { formatAbsolute, formatDayAndTime, formatSpan } from "../../text/ago.ts";
import { formatCount, formatMany } from "../../text/count.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { Time } from "../time.tsx";

/** A list of sessions, two lines each, three on a narrow screen. */
export function SessionList({ sessions }: { readonly sessions: readonly Session[] }) {
  return (
    <ul class="divide-y divide-line border-y border-line">
      {sessions.map((session) => (
        <li
          key={session.id}
          class="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 py-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,15rem)_5.5rem_4.5rem_5rem]"
        >
          <Name session={session} />
          <div class="flex gap-x-3 text-soft max-sm:order-1 max-sm:col-span-2 max-sm:text-sm sm:contents">
            <span class="truncate" title={session.model ?? undefined}>
              <a class="text-soft" href={makePath("/sessions", { host: session.host })}>
                {session.host}
              </a>
              {session.model && <span class="text-faint"> · {session.model}</span>}
            </span>
            <span class="text-right whitespace-nowrap">{formatMany(session.events, "event")}</span>
            <Failures n={session.failures} />
          </div>
          <span class="text-right text-soft" title="last event">
            <Time at={session.lastAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Name({ session }: { readonly session: Session }) {
  const { workspace, id, live, title } = session;
  const place = workspace ? workspaceName(workspace) : null;
  return (
    <div class="min-w-0">
      <p class="flex min-w-0 items-baseline gap-2.5">
        <a href={sessionPath(id)} class="min-w-0 truncate font-medium" title={title ?? id}>
          {title ?? place ?? id}
        </a>
        {live && <LiveMark />}
      </p>
      <p class="flex min-w-0 gap-x-3 text-xs text-faint">
        {place !== null && (
          <span class="min-w-0 truncate" title={session.cwd ?? workspace ?? undefined}>
            {place}
          </span>
        )}
        <StartedAndLasted session={session} />
        <code class="shrink-0" title={id}>
          {id.slice(0, 8)}
        </code>
      </p>
    </div>
  );
}

/** Start and duration distinguish sessions with the same first prompt. */
function StartedAndLasted({ session: { startedAt, lastAt } }: { readonly session: Session }) {
  const began = Date.parse(startedAt);
  return (
    <>
      <time dateTime={startedAt} title={formatAbsolute(began)} class="shrink-0">
        {formatDayAndTime(began, now.value)}
      </time>
      <span class="shrink-0 max-sm:hidden">{formatSpan(Date.parse(lastAt) - began)}</span>
    </>
  );
}

function Failures({ n }: { readonly n: number }) {
  if (n === 0) return <span class="text-right text-faint max-sm:hidden">–</span>;
  return <span class="text-right whitespace-nowrap text-fail">{formatCount(n)} failed</span>;
}

function LiveMark() {
  return (
    <span class="inline-flex items-center gap-1.5 text-xs text-good">
      <span class="size-1.5 rounded-full bg-good" aria-hidden="true" />
      live
    </span>
  );
}
