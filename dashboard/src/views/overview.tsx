import type { Output } from "../api/api-result.ts";
import { useResource } from "../api/use-resource.ts";
import { useFilterInput } from "../browser/current-filter.ts";
import { Counts } from "../components/counts.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { HostPulses } from "../components/sessions/host-pulses.tsx";
import { LiveNow } from "../components/sessions/live-now.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { ProblemNotice } from "../components/frame/problem-notice.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { SessionList } from "../components/sessions/session-list.tsx";
import { TopMistakes } from "../components/mistakes/top-mistakes.tsx";
import type { View } from "../view.ts";

type Status = Output<"status">;

export const overview: View = { path: "/", title: "Overview", nav: { key: "o" }, Page: Overview };

const NOTHING_YET = "Run `oldhand import` to read past sessions, or `oldhand install` to observe new ones.";

function Overview() {
  const status = useResource("status", {});
  const range = useFilterInput();
  const report = useResource("report", { limit: 5, ...range });
  const live = useResource("sessions/live", range.workspace === undefined ? {} : { workspace: range.workspace });
  const recent = useResource("sessions/list", { limit: 8, ...range });
  return (
    <>
      <PageHead roomy title="Overview" lead={status.value && makeLead(status.value)} />
      {status.problem && <ProblemNotice problem={status.problem} retry={status.reload} />}
      <Counts counts={status.value?.counts ?? null} />
      <div class="mt-8">
        <PageSection title="At work now">
          <Loaded resource={live} rows={1}>
            {({ sessions }) => <LiveNow sessions={sessions} />}
          </Loaded>
        </PageSection>
      </div>
      <div class="mt-8 grid gap-x-10 gap-y-8 xl:grid-cols-[minmax(0,1fr)_17rem]">
        <PageSection title="Repeated mistakes" more={{ href: "/failures", text: "All failures" }}>
          <Loaded resource={report} rows={5}>
            {({ mistakes }) =>
              mistakes.length === 0 ? (
                <Empty title="No mistake has repeated" text="A failure is listed here once it happens twice." />
              ) : (
                <TopMistakes mistakes={mistakes} />
              )
            }
          </Loaded>
        </PageSection>
        <PageSection title="Hosts" more={{ href: "/hosts", text: "All hosts" }}>
          <Loaded resource={status} rows={3}>
            {({ hosts }) =>
              hosts.length === 0 ? (
                <Empty title="No host observed" text="Run `oldhand install` to connect one." />
              ) : (
                <HostPulses hosts={hosts} />
              )
            }
          </Loaded>
        </PageSection>
      </div>
      <div class="mt-8">
        <PageSection title="Recent sessions" more={{ href: "/sessions", text: "All sessions" }}>
          <Loaded resource={recent} rows={8}>
            {({ sessions }) =>
              sessions.length === 0 ? (
                <Empty title="Nothing recorded yet" text={NOTHING_YET} />
              ) : (
                <SessionList sessions={sessions} />
              )
            }
          </Loaded>
        </PageSection>
      </div>
    </>
  );
}

function makeLead(status: Status) {
  if (status.off) return <span class="text-warn">Switched off: nothing is recorded or recalled.</span>;
  return (
    <>
      What the agents on this machine did, kept in <code class="[overflow-wrap:anywhere] text-ink">{status.home}</code>
    </>
  );
}
