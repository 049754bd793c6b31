import type { LiveSession } from "../../api/contract.ts";
import { now } from "../../browser/clock.ts";
import { makePath, sessionPath } from "../../browser/route.ts";
import { dropToolName } from "../../text/drop-tool-name.ts";
import { formatMany } from "../../text/count.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { Badge } from "../badge.tsx";
import { getOutcomeLabel } from "./outcome.ts";
import { Time } from "../time.tsx";

/** Every active agent, by workspace, with its last action. */
export function LiveNow({ sessions }: { readonly sessions: readonly LiveSession[] }) {
  // The server sends no event when a session becomes inactive, so entries expire by time.
  const open = sessions.filter(({ liveUntil }) => Date.parse(liveUntil) > now.value);
  if (open.length === 0) return <p class="border-y border-line py-3 text-soft">No agent is at work right now.</p>;
  return (
    <ul class="divide-y divide-line border-y border-line">
      {groupByWorkspace(open).map(([workspace, members]) => (
        <li key={workspace} class="grid gap-x-6 gap-y-1 py-2.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
          <Workspace path={workspace} agents={members.length} />
          <ul class="flex min-w-0 flex-col gap-1.5">
            {members.map((session) => (
              <Agent key={`${session.host} ${session.id}`} session={session} />
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function groupByWorkspace(sessions: readonly LiveSession[]): readonly (readonly [string, readonly LiveSession[]])[] {
  const groups = new Map<string, LiveSession[]>();
  for (const session of sessions) {
    const workspace = session.workspace ?? "";
    groups.set(workspace, [...(groups.get(workspace) ?? []), session]);
  }
  return [...groups];
}

function Workspace({ path, agents }: { readonly path: string; readonly agents: number }) {
  return (
    <div class="flex min-w-0 items-baseline gap-2.5 sm:block">
      {path === "" ? (
        <span class="font-medium">No workspace</span>
      ) : (
        <a class="block min-w-0 truncate font-medium" href={makePath("/sessions", { workspace: path })} title={path}>
          {workspaceName(path)}
        </a>
      )}
      <span class="text-xs whitespace-nowrap text-faint">{formatMany(agents, "agent")}</span>
    </div>
  );
}

function Agent({ session }: { readonly session: LiveSession }) {
  const { last } = session;
  return (
    <li class="grid min-w-0 grid-cols-[0.5rem_minmax(0,1fr)_auto] items-baseline gap-x-2.5 sm:grid-cols-[0.5rem_6.5rem_minmax(0,1fr)_auto]">
      <span class="size-2 rounded-full bg-good motion-safe:animate-pulse" aria-hidden="true" />
      <a class="truncate" href={sessionPath(session.id, last?.seq)} title={`session ${session.id}`}>
        {session.host}
      </a>
      <span class="min-w-0 max-sm:order-1 max-sm:col-span-2 max-sm:col-start-2">
        {last && <LastEvent last={last} />}
      </span>
      <span class="text-right text-sm text-soft">
        <Time at={session.lastAt} />
      </span>
    </li>
  );
}

function LastEvent({ last }: { readonly last: NonNullable<LiveSession["last"]> }) {
  const verdict = getOutcomeLabel(last);
  return (
    <span class="flex min-w-0 items-baseline gap-2">
      <span class="shrink-0 text-sm text-soft">{describeLastEvent(last)}</span>
      {last.kind !== "session-start" && last.summary !== last.kind && (
        <code class="min-w-0 truncate text-sm" title={last.summary}>
          {dropToolName(last.summary, last.tool)}
        </code>
      )}
      {verdict && last.outcome !== "ok" && (
        <Badge tone={verdict.tone} title={verdict.title}>
          {verdict.text}
        </Badge>
      )}
    </span>
  );
}

function describeLastEvent({ kind, tool }: NonNullable<LiveSession["last"]>): string {
  return kind === "call" ? (tool ?? "call") : eventDescriptions[kind];
}

const eventDescriptions = {
  "session-start": "has just started",
  prompt: "was asked",
  answer: "has answered",
  correction: "was corrected",
  stop: "waits for its user",
  "session-end": "has ended",
} as const;
