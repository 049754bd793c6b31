import type { Output } from "../api/api-result.ts";
import { type Resource, useResource } from "../api/use-resource.ts";
import { usePeriod } from "../browser/period.ts";
import { DayChart } from "../components/chart/day-chart.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { TopMistakes } from "../components/mistakes/top-mistakes.tsx";
import { LiveNow } from "../components/sessions/live-now.tsx";
import { Figures } from "../components/today/figures.tsx";
import { FirstSteps } from "../components/today/first-steps.tsx";
import { Learned } from "../components/today/learned.tsx";
import { WaitingForYou } from "../components/today/waiting.tsx";
import { formatMany } from "../text/count.ts";
import { fullFilter, type View } from "../view.ts";

type Figures = Output<"today">;

const DAYS = 14;

export const today: View = {
  path: "/",
  title: "Today",
  nav: { key: "d" },
  filter: { ...fullFilter, days: DAYS },
  Page: Today,
};

/** An overview of what oldhand did for the owner. */
function Today() {
  const period = usePeriod(DAYS);
  const resource = useResource("today", period);
  const status = useResource("status", {});
  // Requested together with `today`, not after it: the page is complete one round trip earlier.
  const live = useResource("sessions/live", {});
  const { workspace } = period;
  const report = useResource("report", { limit: 5, ...(workspace === undefined ? {} : { workspace }) });
  return (
    <>
      <PageHead roomy title="Today" lead={makeLead(resource.value, status.value)} />
      <Loaded resource={resource} rows={8}>
        {(found) =>
          found.recorded ? (
            <Recorded found={found} live={live} report={report} />
          ) : (
            <div class="flex flex-col gap-8">
              {found.waiting.alerts > 0 && (
                <PageSection title="Waiting for you">
                  <WaitingForYou waiting={found.waiting} />
                </PageSection>
              )}
              <FirstSteps />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

interface RecordedProps {
  readonly found: Figures;
  readonly live: Resource<Output<"sessions/live">>;
  readonly report: Resource<Output<"report">>;
}

function Recorded({ found, live, report }: RecordedProps) {
  return (
    <div class="flex flex-col gap-8">
      <Figures today={found} />
      <PageSection title="By day">
        <ByDay found={found} />
      </PageSection>
      <div class="grid gap-x-10 gap-y-8 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <PageSection title="Waiting for you" more={{ href: "/rules/review", text: "Review" }}>
          <WaitingForYou waiting={found.waiting} />
        </PageSection>
        <PageSection title="Learned" more={{ href: "/rules", text: "All rules" }}>
          <Learned learned={found.learned} />
        </PageSection>
      </div>
      <PageSection title="At work now" more={{ href: "/sessions", text: "All sessions" }}>
        <Loaded resource={live} rows={1}>
          {({ sessions }) => <LiveNow sessions={sessions} />}
        </Loaded>
      </PageSection>
      <PageSection title="Most costly mistakes" more={{ href: "/failures", text: "All failures" }}>
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
    </div>
  );
}

function ByDay({ found: { days } }: { readonly found: Figures }) {
  return (
    <DayChart
      label="What happened by day"
      days={days.map(({ day }) => day)}
      series={[
        {
          name: "Mistakes repeated",
          kind: "bar",
          fill: "fill-fail",
          stroke: "stroke-fail",
          values: days.map(({ repeated }) => repeated),
        },
        {
          name: "Failed for the first time",
          kind: "bar",
          fill: "fill-faint/60",
          stroke: "stroke-faint",
          values: days.map(({ failed, repeated }) => failed - repeated),
        },
        {
          name: "Avoided",
          kind: "line",
          fill: "fill-good",
          stroke: "stroke-good",
          values: days.map(({ avoided }) => avoided),
        },
      ]}
      inTable={[
        {
          name: "Stopped",
          kind: "bar",
          fill: "fill-brass",
          stroke: "stroke-brass",
          values: days.map(({ held, asked, denied }) => held + asked + denied),
        },
        {
          name: "Answered",
          kind: "bar",
          fill: "fill-link",
          stroke: "stroke-link",
          values: days.map(({ answered }) => answered),
        },
      ]}
    />
  );
}

function makeLead(found: Figures | null, status: Output<"status"> | null) {
  if (status?.off === true) return <span class="text-warn">Switched off: nothing is recorded or recalled.</span>;
  if (found === null || status === null) return null;
  const { sessions, events, rules } = status.counts;
  return (
    <>
      {found.recorded && `What oldhand did for you in ${formatMany(found.days.length, "day")}. `}
      <span class="text-faint">
        Recorded in all: {formatMany(sessions, "session")}, {formatMany(events, "event")}, {formatMany(rules, "rule")},
        in <code class="[overflow-wrap:anywhere]">{status.home}</code>
      </span>
    </>
  );
}
