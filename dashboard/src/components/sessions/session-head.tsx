import { useEffect } from "preact/hooks";
import type { Session } from "../../api/contract.ts";
import { makePath } from "../../browser/route.ts";
import { formatSpan } from "../../text/ago.ts";
import { formatExact } from "../../text/count.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { Badge } from "../badge.tsx";
import { DefinitionItem } from "../definition-item.tsx";
import { Time } from "../time.tsx";

type Props = { readonly id: string; readonly session: Session | null };

export function SessionHead({ id, session }: Props) {
  const name = formatName(id, session);
  // Distinguishes open tabs; the view sets a general title when it opens.
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

function formatName(id: string, session: Session | null): string {
  return session?.title ?? (session?.workspace ? workspaceName(session.workspace) : id);
}

function Facts({ session }: { readonly session: Session }) {
  const lasted = Date.parse(session.lastAt) - Date.parse(session.startedAt);
  return (
    <>
      <DefinitionItem name="host">{session.host}</DefinitionItem>
      {session.model && <DefinitionItem name="model">{session.model}</DefinitionItem>}
      <DefinitionItem name="started">
        <Time at={session.startedAt} />
      </DefinitionItem>
      <DefinitionItem name="lasted">{formatSpan(lasted)}</DefinitionItem>
      <DefinitionItem name="events">{formatExact(session.events)}</DefinitionItem>
      <DefinitionItem name="failures">
        <span class={session.failures > 0 ? "text-fail" : ""}>{formatExact(session.failures)}</span>
      </DefinitionItem>
      {session.workspace && (
        <DefinitionItem name="workspace">
          <a href={makePath("/sessions", { workspace: session.workspace })} class="break-all">
            {session.workspace}
          </a>
        </DefinitionItem>
      )}
      {session.cwd && session.cwd !== session.workspace && <DefinitionItem name="in">{session.cwd}</DefinitionItem>}
      <DefinitionItem name="id">
        <code class="break-all">{session.id}</code>
      </DefinitionItem>
    </>
  );
}
