import type { Output } from "../../api/api-result.ts";
import { formatDollars, formatDuration, formatQuality } from "../../text/money.ts";
import { DayChart, type Series } from "../chart/day-chart.tsx";
import { PageSection } from "../frame/page-section.tsx";

type Usage = Output<"models/usage">;

/** One colour for each group, in both colour schemes. The last one is for all remaining groups together. */
const looks = [
  { fill: "fill-link", stroke: "stroke-link" },
  { fill: "fill-brass", stroke: "stroke-brass" },
  { fill: "fill-good", stroke: "stroke-good" },
  { fill: "fill-faint/60", stroke: "stroke-faint" },
] as const;

/** Cost, calls, time and quality by day. */
export function UsageCharts({ usage }: { readonly usage: Usage }) {
  const days = usage.days.map(({ day }) => day);
  return (
    <div class="grid gap-x-10 gap-y-8 xl:grid-cols-2">
      <PageSection title="Cost">
        <DayChart label="Cost by day" days={days} series={makeCostSeries(usage)} format={formatDollars} />
      </PageSection>
      <PageSection title="Calls">
        <DayChart label="Calls by day" days={days} series={makeCallSeries(usage)} />
      </PageSection>
      <PageSection title="Time to answer">
        <DayChart label="Time to answer by day" days={days} series={makeTimeSeries(usage)} format={formatDuration} />
      </PageSection>
      <PageSection title="Quality">
        <DayChart label="Quality by day" days={days} series={makeQualitySeries(usage)} format={formatQuality} />
      </PageSection>
    </div>
  );
}

/** The most expensive groups, and all others as one series. */
function makeCostSeries({ groups, days }: Usage): readonly Series[] {
  const [named, others] = [groups.slice(0, looks.length - 1), groups.slice(looks.length - 1)];
  const rest = {
    of: `${others.length} others`,
    costs: days.map((_, at) => others.reduce((sum, one) => sum + (one.costs[at] ?? 0), 0)),
  };
  return [...named, ...(others.length === 0 ? [] : [rest])].map(({ of, costs }, at): Series => ({
    name: of,
    kind: "bar",
    ...(looks[at] ?? looks[0]),
    values: costs,
  }));
}

function makeCallSeries({ days }: Usage): readonly Series[] {
  return [
    {
      name: "Answered by a model",
      kind: "bar",
      fill: "fill-link",
      stroke: "stroke-link",
      values: days.map(({ answered, cached }) => answered - cached),
    },
    {
      name: "From the cache",
      kind: "bar",
      fill: "fill-good",
      stroke: "stroke-good",
      values: days.map(({ cached }) => cached),
    },
    { name: "Failed", kind: "bar", fill: "fill-fail", stroke: "stroke-fail", values: days.map(({ failed }) => failed) },
    {
      name: "Healed",
      kind: "line",
      fill: "fill-brass",
      stroke: "stroke-brass",
      values: days.map(({ healed }) => healed),
    },
  ];
}

function makeTimeSeries({ days, total }: Usage): readonly Series[] {
  return [
    {
      name: "Median",
      kind: "line",
      fill: "fill-link",
      stroke: "stroke-link",
      values: days.map(({ medianMs }) => medianMs),
      total: total.medianMs,
    },
    {
      name: "95th percentile",
      kind: "line",
      fill: "fill-warn",
      stroke: "stroke-warn",
      values: days.map(({ slowMs }) => slowMs),
      total: total.slowMs,
    },
  ];
}

function makeQualitySeries({ days, total }: Usage): readonly Series[] {
  return [
    {
      name: "Mean quality",
      kind: "line",
      fill: "fill-good",
      stroke: "stroke-good",
      values: days.map(({ quality }) => quality),
      total: total.quality,
    },
  ];
}
