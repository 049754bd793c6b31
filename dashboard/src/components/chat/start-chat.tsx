import { useState } from "preact/hooks";
import { callChat, type ChatMode } from "../../api/chat.ts";
import { useResource } from "../../api/use-resource.ts";
import { currentFilter } from "../../browser/current-filter.ts";
import { navigateTo } from "../../browser/location.ts";
import { sessionPath } from "../../browser/route.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { Empty } from "../frame/empty.tsx";
import { Loaded } from "../frame/loaded.tsx";
import { PageHead } from "../frame/page-head.tsx";
import { PageSection } from "../frame/page-section.tsx";
import { SessionList } from "../sessions/session-list.tsx";
import { ModeChoice, ModelChoice } from "./chat-choices.tsx";
import { Composer } from "./composer.tsx";

/** Begins a session of oldhand's own agent, or leads to one that can be continued. */
export function StartChat() {
  const workspaces = useResource("workspaces/list", { limit: 50 });
  const sessions = useResource("sessions/list", { host: "oldhand", limit: 30 });
  return (
    <>
      <PageHead
        title="Chat"
        lead="oldhand's own agent. What it does is recorded, and rules apply to it, as for other agents."
      />
      <div class="flex flex-col gap-8">
        <PageSection title="Begin">
          <Loaded resource={workspaces} rows={2}>
            {(found) =>
              found.workspaces.length === 0 ? (
                <Empty
                  title="No folder is known yet"
                  text="Begin the first session in a terminal: run `oldhand chat` in the folder of a project."
                />
              ) : (
                <Begin folders={found.workspaces.map((one) => one.workspace)} />
              )
            }
          </Loaded>
        </PageSection>
        <PageSection title="Continue" more={{ href: "/sessions?host=oldhand", text: "All of them" }}>
          <Loaded resource={sessions} rows={4}>
            {(found) => {
              const own = found.sessions.filter(({ id }) => id.startsWith("chat_"));
              return own.length === 0 ? (
                <p class="border-y border-line py-3 text-soft">There is no session yet.</p>
              ) : (
                <SessionList sessions={own} />
              );
            }}
          </Loaded>
        </PageSection>
      </div>
    </>
  );
}

function Begin({ folders }: { readonly folders: readonly string[] }) {
  const wanted = currentFilter.value.workspace;
  const [chosen, setChosen] = useState<string | null>(null);
  const [mode, setMode] = useState<ChatMode | null>(null);
  const [model, setModel] = useState<string | null>(null);
  const workspace = chosen ?? folders.find((one) => one === wanted) ?? folders[0] ?? "";
  return (
    <div class="flex max-w-[90ch] flex-col gap-2">
      <label class="flex min-w-0 flex-wrap items-center gap-1.5 text-sm text-soft">
        Workspace
        <select
          class="field max-w-full min-w-0 truncate"
          value={workspace}
          title={workspace}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {folders.map((folder) => (
            <option key={folder} value={folder}>
              {`${workspaceName(folder)} (${folder})`}
            </option>
          ))}
        </select>
      </label>
      <Composer
        draft="new"
        label="First message to the agent"
        isWorking={false}
        onSend={async (text) => {
          const chosenOnes = { ...(mode === null ? {} : { mode }), ...(model === null ? {} : { model }) };
          const sent = await callChat("send", { session: null, workspace, text, ...chosenOnes });
          if (sent.kind === "failed") return sent.problem;
          navigateTo(sessionPath(sent.value.session));
          return null;
        }}
      >
        <ModeChoice mode={mode} onChange={setMode} />
        <ModelChoice model={model} onChange={setModel} />
      </Composer>
    </div>
  );
}
