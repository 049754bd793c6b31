import { useEffect } from "preact/hooks";
import type { Session } from "../api/contract.ts";
import { pathWith } from "../browser/route.ts";
import { span } from "../text/ago.ts";
import { exact } from "../text/count.ts";
import { workspaceName } from "../text/workspace-name.ts";
import { Badge } from "./badge.tsx";
import { Fact } from "./fact.tsx";
import { Time } from "./time.tsx";

type Props = { readonly id: string; readonly session: Session | null };

export function SessionHead({ id, session }: Props) {
  const name = nameOf(id, session);
  // So that open tabs can be told apart; the view has set its own when it was opened.
  useEffect(() => {
    document.title = `${name} · oldhand`;
  }, [name]);
  return (
    <div class="mb-3">
      <p class="text-sm">
        <a href="/sessions">← Sessions</a>
      </p>
      <h1 tabIndex={-1} class="mt-1 flex flex-wrap items-center gap-x-3 [overflow-wrap:anywhere]">
        {name}
        {session?.live && <Badge tone="good">live</Badge>}
      </h1>
      <dl class="mt-1 flex min-h-[2lh] flex-wrap gap-x-6 gap-y-0.5 text-sm">
        {session && <Facts session={session} />}
      </dl>
    </div>
  );
}

function nameOf(id: string, session: Session | null): string {
  return session?.title ?? (session?.workspace ? workspaceName(session.workspace) : id);
}

function Facts({ session }: { readonly session: Session }) {
  const lasted = Date.parse(session.lastAt) - Date.parse(session.startedAt);
  return (
    <>
      <Fact name="host">{session.host}</Fact>
      {session.model && <Fact name="model">{session.model}</Fact>}
      <Fact name="started">
        <Time at={session.startedAt} />
      </Fact>
      <Fact name="lasted">{span(lasted)}</Fact>
      <Fact name="events">{exact(session.events)}</Fact>
      <Fact name="failures">
        <span class={session.failures > 0 ? "text-fail" : ""}>{exact(session.failures)}</span>
      </Fact>
      {session.workspace && (
        <Fact name="workspace">
          <a href={pathWith("/sessions", { workspace: session.workspace })} class="break-all">
            {session.workspace}
          </a>
        </Fact>
      )}
      {session.cwd && session.cwd !== session.workspace && <Fact name="in">{session.cwd}</Fact>}
      <Fact name="id">
        <code class="break-all">{session.id}</code>
      </Fact>
    </>
  );
}
