import { useEffect } from "preact/hooks";
import type { ChatSession, ChatUsage } from "../../api/contract.ts";
import { makePath, sessionPath } from "../../browser/route.ts";
import { formatCount, formatExact, formatPercent } from "../../text/count.ts";
import { formatDollars } from "../../text/money.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { DefinitionItem } from "../definition-item.tsx";
import { Time } from "../time.tsx";

type Props = {
  readonly id: string;
  readonly session: ChatSession | null;
  readonly usage: ChatUsage | null;
  readonly window: number | null;
};

export function ChatHead({ id, session, usage, window }: Props) {
  const name = session === null ? id : session.title === "" ? workspaceName(session.workspace) : session.title;
  useEffect(() => {
    document.title = `${name} · oldhand`;
  }, [name]);
  return (
    <div class="mb-3">
      <p class="flex gap-4 text-sm">
        <a href="/sessions">← Sessions</a>
        <a href={makePath(sessionPath(id), { view: "events" })} class="ml-auto">
          Its events
        </a>
      </p>
      <h1 tabIndex={-1} class="mt-1 [overflow-wrap:anywhere]">
        {name}
      </h1>
      <dl class="mt-1 flex min-h-[2lh] flex-wrap gap-x-6 gap-y-0.5 text-sm">
        {session && <Facts session={session} />}
        {usage && usage.calls > 0 && <Used usage={usage} window={window} />}
      </dl>
    </div>
  );
}

function Facts({ session }: { readonly session: ChatSession }) {
  const { workspace, startedAt, usedAt, parent } = session;
  return (
    <>
      <DefinitionItem name="workspace">
        <a href={makePath("/sessions", { workspace })} title={workspace} class="break-all">
          {workspaceName(workspace)}
        </a>
      </DefinitionItem>
      <DefinitionItem name="started">
        <Time at={startedAt} />
      </DefinitionItem>
      <DefinitionItem name="last used">
        <Time at={usedAt} />
      </DefinitionItem>
      {parent !== null && (
        <DefinitionItem name="sub-agent of">
          <a href={sessionPath(parent)}>this session</a>
        </DefinitionItem>
      )}
    </>
  );
}

function Used({ usage, window }: { readonly usage: ChatUsage; readonly window: number | null }) {
  const { calls, tokensIn, tokensCached, cost, contextTokens } = usage;
  const share = window === null ? "" : `, ${formatPercent(contextTokens / window)} of the window`;
  return (
    <>
      <DefinitionItem name="cost" title={`${formatExact(calls)} model calls, with those of sub-agents`}>
        {formatDollars(cost)}
      </DefinitionItem>
      <DefinitionItem name="cached" title="share of all tokens sent that the provider had in its prompt cache">
        {tokensIn === 0 ? "–" : formatPercent(tokensCached / tokensIn)}
      </DefinitionItem>
      <DefinitionItem name="context" title="tokens of the last request and its answer">
        {formatCount(contextTokens)} tokens{share}
      </DefinitionItem>
    </>
  );
}
