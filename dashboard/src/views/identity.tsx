import { useEffect, useState } from "preact/hooks";
import type { Output } from "../api/answer.ts";
import type { IdentityProposal as Proposal } from "../api/contract.ts";
import { refreshAll } from "../api/live.ts";
import { useDeeds } from "../api/use-deeds.ts";
import { useResource } from "../api/use-resource.ts";
import { type Done, DoneNotice } from "../components/done-notice.tsx";
import { DriftRow } from "../components/drift-row.tsx";
import { Empty } from "../components/empty.tsx";
import { GrowthEntry } from "../components/growth-entry.tsx";
import { IdentityEntry } from "../components/identity-entry.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Problem } from "../components/problem.tsx";
import { ProposalCard } from "../components/proposal-card.tsx";
import { RefusedAttempt } from "../components/refused-attempt.tsx";
import { Section } from "../components/section.tsx";
import { count } from "../text/count.ts";
import type { View } from "../view.ts";

type Soul = Output<"soul/show">;

export const identity: View = { path: "/identity", title: "Identity", nav: { key: "i" }, Page: IdentityPage };

const ENTRIES = 50;

function IdentityPage() {
  const soul = useResource("soul/show", {});
  const proposals = useResource("soul/proposals", { all: true });
  // Nobody announces what an editor does to a file; whoever comes back from one wants to see it.
  useEffect(() => {
    addEventListener("focus", refreshAll);
    return () => removeEventListener("focus", refreshAll);
  }, []);
  return (
    <>
      <PageHead title="Identity" roomy lead={soul.value && leadOf(soul.value)} />
      <Loaded resource={soul}>
        {({ files }) =>
          files.every((file) => file.text === null) ? (
            <Empty
              title="There is no identity yet"
              text="`oldhand init` asks a few questions and makes the files, which are put before every session."
            />
          ) : (
            <div class="flex flex-col gap-8">
              <Loaded resource={proposals} rows={2}>
                {(found) => <Proposals proposals={found.proposals} />}
              </Loaded>
              <Section title="Files, the weightiest first">
                <ol aria-label="Files" class="divide-y divide-line border-y border-line">
                  {files.map((file) => (
                    <IdentityEntry key={file.name} file={file} />
                  ))}
                </ol>
              </Section>
              <Drifts />
              <GrowthLog />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

/** What waits for a decision, and what was not even allowed to wait. */
function Proposals({ proposals }: { readonly proposals: readonly Proposal[] }) {
  const deeds = useDeeds();
  const [done, setDone] = useState<Done | null>(null);
  const open = proposals.filter((one) => one.status === "open");
  const refused = proposals.filter((one) => one.status === "refused").toReversed();
  return (
    <div class="flex flex-col gap-4">
      <Section title="Proposals">
        {open.length === 0 ? (
          <p class="text-soft">Nothing waits for a decision.</p>
        ) : (
          <ul aria-label="Proposals" class="divide-y divide-line border-y border-line">
            {open.map((one) => (
              <ProposalCard key={one.id} proposal={one} onDone={setDone} />
            ))}
          </ul>
        )}
        {deeds.problem && <Problem problem={deeds.problem} />}
        <DoneNotice done={done} deeds={deeds} onUndone={() => setDone({ text: "Taken back.", change: null })} />
      </Section>
      {refused.length > 0 && (
        <Section title="Refused attempts">
          <ul aria-label="Refused attempts" class="divide-y divide-line border-y border-line">
            {refused.map((one) => (
              <RefusedAttempt key={one.id} proposal={one} />
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

function Drifts() {
  return (
    <Section title="Drift">
      <Loaded resource={useResource("soul/drift", {})} rows={3}>
        {({ files }) => (
          <ul aria-label="Drift" class="divide-y divide-line border-y border-line">
            {files.map((one) => (
              <DriftRow key={one.file} drift={one} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function GrowthLog() {
  return (
    <Section title="Growth log" more={{ href: "/history", text: "All history" }}>
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
    </Section>
  );
}

function leadOf({ identity: given, limit, cut }: Soul): string {
  if (given === "") return "Who the agent is, put before every session";
  const room = `${count(given.length)} of ${count(limit)} characters`;
  return `Who the agent is, put before every session: ${room}${cut ? ", cut at the end: shorten the files" : ""}`;
}
