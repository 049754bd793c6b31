import type { Output } from "../../api/api-result.ts";
import { formatCount, formatExact, formatPercent } from "../../text/count.ts";

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
    says: "calls that failed in a way that was seen before",
    count: ({ repeated }) => repeated,
    detail: ({ failed }) => `of ${formatCount(failed)} failed calls`,
    better: "less",
    tone: "fill-fail",
  },
  {
    name: "Stopped before the call",
    says: "calls that a rule held, asked about or denied",
    count: ({ held, asked, denied }) => held + asked + denied,
    detail: ({ noted }) => `and ${formatCount(noted)} noted`,
    better: null,
    tone: "fill-brass",
  },
  {
    name: "Answered",
    says: "failed calls that were answered with what is there",
    count: ({ answered }) => answered,
    detail: ({ used }) => `${formatCount(used)} of them used`,
    better: null,
    tone: "fill-link",
  },
  {
    name: "Avoided",
    says: "mistakes that were not made again after a session was told, and answers that were used",
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
          <dt class="text-sm text-soft" title={figure.says}>
            {figure.name}
          </dt>
          <dd class="flex flex-1 flex-col">
            <span class="flex items-end justify-between gap-3">
              <span
                class="text-[1.75rem] leading-tight font-light tracking-tight"
                title={formatExact(figure.count(today.totals))}
              >
                {formatCount(figure.count(today.totals))}
              </span>
              <Spark values={today.days.map(figure.count)} tone={figure.tone} />
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

/** The daily values as small bars; the chart below has the details. */
function Spark({ values, tone }: { readonly values: readonly number[]; readonly tone: string }) {
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
  if (now === before) return <span title={title}>as before</span>;
  const isMore = now > before;
  const isGood = better === null || before === 0 ? null : isMore === (better === "more");
  const tone = isGood === null ? "text-soft" : isGood ? "text-good" : "text-fail";
  return (
    <span class={tone} title={title}>
      <span aria-hidden="true">{isMore ? "▲" : "▼"} </span>
      {before === 0 ? "none before" : `${formatPercent(Math.abs(now - before) / before)} ${isMore ? "more" : "fewer"}`}
    </span>
  );
}
