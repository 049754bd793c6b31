import type { Output } from "../../api/api-result.ts";
import { formatCount, formatExact, formatMany, formatPercent } from "../../text/count.ts";
import { formatDay } from "../chart/day-scale.ts";

type Today = Output<"today">;
type Count = (of: Today["totals"]) => number;

type Figure = {
  readonly name: string;
  readonly says: string;
  readonly count: Count;
  readonly detail?: (of: Today["totals"]) => string;
  /** Whether a higher or lower number is better; null if it depends. */
  readonly better: "more" | "less" | null;
  readonly tone: string;
};

const figures: readonly Figure[] = [
  {
    name: "Mistakes repeated",
    says: "calls that failed in a way seen before",
    count: ({ repeated }) => repeated,
    detail: ({ failed }) => `of ${formatCount(failed)} failed calls`,
    better: "less",
    tone: "fill-fail",
  },
  {
    name: "Stopped before the call",
    says: "calls that a rule refused, or asked you about",
    count: ({ held, asked, denied }) => held + asked + denied,
    detail: ({ noted }) => `and ${formatMany(noted, "note")} shown`,
    better: null,
    tone: "fill-brass",
  },
  {
    name: "Answered",
    says: "failed calls after which the agent was shown what exists instead",
    count: ({ answered }) => answered,
    detail: ({ used }) => `${formatCount(used)} of them used`,
    better: null,
    tone: "fill-link",
  },
  {
    name: "Avoided",
    says: "known mistakes not made again after a rule was shown",
    count: ({ avoided }) => avoided,
    better: "more",
    tone: "fill-good",
  },
];

/** Four totals, each with its daily values and the previous period. */
export function Figures({ today }: { readonly today: Today }) {
  return (
    <dl class="grid grid-cols-2 gap-px overflow-hidden rounded-md border border-line bg-line lg:grid-cols-4">
      {figures.map((figure) => (
        <div key={figure.name} class="flex flex-col bg-raised px-4 py-3 max-sm:px-3">
          <dt class="flex-1 text-sm text-soft">
            <span class="block">{figure.name}</span>
            <span class="block text-xs text-faint">{figure.says}</span>
          </dt>
          <dd class="flex flex-col pt-1">
            <span class="flex items-end justify-between gap-3">
              <span
                class="text-[1.75rem] leading-tight font-light tracking-tight"
                title={formatExact(figure.count(today.totals))}
              >
                {formatCount(figure.count(today.totals))}
              </span>
              <Spark days={today.days} count={figure.count} tone={figure.tone} />
            </span>
            <span class="mt-0.5 flex flex-wrap gap-x-2 text-xs text-faint">
              <Difference
                now={figure.count(today.totals)}
                before={figure.count(today.before)}
                better={figure.better}
                days={today.days.length}
              />
              {figure.detail && <span>{figure.detail(today.totals)}</span>}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

type SparkProps = { readonly days: Today["days"]; readonly count: Count; readonly tone: string };

/** The daily values as small bars, each with its number on hover; the table of the chart below has them too. */
function Spark({ days, count, tone }: SparkProps) {
  const values = days.map(count);
  const most = Math.max(1, ...values);
  return (
    <svg
      class="mb-1.5 h-6 w-16 shrink-0"
      viewBox={`0 0 ${Math.max(1, values.length)} 24`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="fill-line" y="23" width={values.length} height="1" />
      {values.map((value, at) => (
        <rect
          key={at}
          class={tone}
          x={at + 0.15}
          width="0.7"
          y={24 - (value / most) * 24}
          height={(value / most) * 24}
        />
      ))}
      {days.map(({ day }, at) => (
        <rect key={day} class="fill-transparent" x={at} width="1" height="24">
          <title>{`${formatDay(day, { long: true })}: ${formatExact(values[at] ?? 0)}`}</title>
        </rect>
      ))}
    </svg>
  );
}

type DifferenceProps = {
  readonly now: number;
  readonly before: number;
  readonly better: "more" | "less" | null;
  readonly days: number;
};

function Difference({ now, before, better, days }: DifferenceProps) {
  const title = `${formatExact(before)} in the ${days === 1 ? "day" : `${days} days`} before`;
  if (now === before) return <span title={title}>same as before</span>;
  const isMore = now > before;
  const isGood = better === null || before === 0 ? null : isMore === (better === "more");
  const tone = isGood === null ? "text-soft" : isGood ? "text-good" : "text-fail";
  return (
    <span class={tone} title={title}>
      <span aria-hidden="true">{isMore ? "▲" : "▼"} </span>
      {before === 0 ? "up from 0" : `${formatPercent(Math.abs(now - before) / before)} ${isMore ? "more" : "fewer"}`}
    </span>
  );
}
