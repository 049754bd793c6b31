import { useEffect } from "preact/hooks";
import type { Output } from "../api/api-result.ts";
import type { IdentityProposal } from "../api/contract.ts";
import { refreshAll } from "../api/live.ts";
import { useResource } from "../api/use-resource.ts";
import { newSubject } from "../actions/subjects.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { DriftRow } from "../components/identity/drift-row.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { GrowthEntry } from "../components/mistakes/growth-entry.tsx";
import { IdentityEntry } from "../components/identity/identity-entry.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { ProposalCard } from "../components/rules/proposal-card.tsx";
import { RefusedAttempt } from "../components/rules/refused-attempt.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { formatCount } from "../text/count.ts";
import { noFilter, type View } from "../view.ts";

type Soul = Output<"soul/show">;

export const identity: View = {
  path: "/identity",
  title: "Identity",
  nav: { key: "i" },
  filter: noFilter,
  Page: IdentityPage,
};

const ENTRIES = 50;

function IdentityPage() {
  const soul = useResource("soul/show", {});
  const proposals = useResource("soul/proposals", { all: true });
  // The server does not announce edits of the files, so refresh when the user returns from an editor.
  useEffect(() => {
    addEventListener("focus", refreshAll);
    return () => removeEventListener("focus", refreshAll);
  }, []);
  return (
    <>
      <PageHead title="Identity" roomy lead={soul.value && makeLead(soul.value)} />
      <Loaded resource={soul}>
        {({ files }) =>
          files.every((file) => file.text === null) ? (
            <>
              <Empty
                title="There is no identity yet"
                text="Set it up here, or run `oldhand init`. Its files are shown to the agent at the start of every session."
              />
              <div class="mt-3 flex justify-center">
                <ActionBar subject={newSubject("identity")} />
              </div>
            </>
          ) : (
            <div class="flex flex-col gap-8">
              <Loaded resource={proposals} rows={2}>
                {(found) => <Proposals proposals={found.proposals} />}
              </Loaded>
              <PageSection title="Files, most important first">
                <ol aria-label="Files" class="divide-y divide-line border-y border-line">
                  {files.map((file) => (
                    <IdentityEntry key={file.name} file={file} />
                  ))}
                </ol>
              </PageSection>
              <Drifts />
              <GrowthLog />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

/** Open proposals, and those that were refused. */
function Proposals({ proposals }: { readonly proposals: readonly IdentityProposal[] }) {
  const open = proposals.filter((one) => one.status === "open");
  const refused = proposals.filter((one) => one.status === "refused").toReversed();
  return (
    <div class="flex flex-col gap-4">
      <PageSection title="Proposals">
        {open.length === 0 ? (
          <p class="text-soft">Nothing waits for a decision.</p>
        ) : (
          <ul aria-label="Proposals" class="divide-y divide-line border-y border-line">
            {open.map((one) => (
              <ProposalCard key={one.id} proposal={one} />
            ))}
          </ul>
        )}
      </PageSection>
      {refused.length > 0 && (
        <PageSection title="Refused attempts">
          <ul aria-label="Refused attempts" class="divide-y divide-line border-y border-line">
            {refused.map((one) => (
              <RefusedAttempt key={one.id} proposal={one} />
            ))}
          </ul>
        </PageSection>
      )}
    </div>
  );
}

function Drifts() {
  return (
    <PageSection title="Drift">
      <Loaded resource={useResource("soul/drift", {})} rows={3}>
        {({ files }) => {
          const same = files.filter((one) => one.words === 0 && one.lines === 0);
          const drifted = files.filter((one) => !same.includes(one));
          return (
            <>
              {drifted.length > 0 && (
                <ul aria-label="Drift" class="divide-y divide-line border-y border-line">
                  {drifted.map((one) => (
                    <DriftRow key={one.file} drift={one} />
                  ))}
                </ul>
              )}
              {same.length > 0 && (
                <p class="py-2 text-sm text-soft">
                  Unchanged since the first version: {same.map((one) => one.file).join(", ")}.
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </PageSection>
  );
}

function GrowthLog() {
  return (
    <PageSection title="Growth log" more={{ href: "/history", text: "All history" }}>
      <Loaded resource={useResource("soul/log", { limit: ENTRIES })} rows={4}>
        {({ entries }) => (
          <>
            <ol aria-label="Growth log" class="divide-y divide-line border-y border-line">
              {entries.map((entry) => (
                <GrowthEntry key={entry.change} entry={entry} />
              ))}
            </ol>
            {entries.length >= ENTRIES && <p class="mt-2 text-xs text-faint">The newest {ENTRIES} are shown.</p>}
          </>
        )}
      </Loaded>
    </PageSection>
  );
}

function makeLead({ identity: given, limit, cut }: Soul): string {
  if (given === "") return "Who the agent is, shown at the start of every session";
  const room = `${formatCount(given.length)} of ${formatCount(limit)} characters`;
  return `Who the agent is, shown at the start of every session: ${room}${cut ? ", cut at the end: shorten the files" : ""}`;
}
