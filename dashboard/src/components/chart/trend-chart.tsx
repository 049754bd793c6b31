import type { Input, Output } from "../../api/api-result.ts";
import { useQueryOnce } from "../../api/use-query-once.ts";
import { usePeriod } from "../../browser/period.ts";
import { formatMany } from "../../text/count.ts";
import { Loaded } from "../frame/loaded.tsx";
import { DayChart, type DayMark, type Series } from "./day-chart.tsx";

type Props = {
  readonly label: string;
  /** One mistake or one rule. Default: all. */
  readonly of?: Pick<Input<"trend">, "signature" | "rule">;
  /** The series to draw. */
  readonly show: readonly ("failures" | "sessions")[];
};

const looks = {
  failures: { name: "Failed calls", kind: "bar", fill: "fill-fail", stroke: "stroke-fail" },
  sessions: { name: "Sessions", kind: "line", fill: "fill-link", stroke: "stroke-link" },
} as const;

/** Failed calls and sessions by day, within the page's time filter. */
export function TrendChart({ label, of = {}, show }: Props) {
  const resource = useQueryOnce("trend", { ...usePeriod(TREND_DAYS), ...of });
  return (
    <Loaded resource={resource} rows={4}>
      {({ days, marks }) =>
        days.every((day) => show.every((name) => day[name] === 0)) ? (
          <p class="border-y border-line py-3 text-sm text-soft">
            No {show.map((name) => looks[name].name.toLowerCase()).join(" or ")} in {formatMany(days.length, "day")}.
          </p>
        ) : (
          <DayChart
            label={label}
            days={days.map(({ day }) => day)}
            series={show.map((name): Series => ({ ...looks[name], values: days.map((day) => day[name]) }))}
            marks={listMarks(marks)}
          />
        )
      }
    </Loaded>
  );
}

/** A rule that was switched several times a day has each mark of that day once. */
function listMarks(marks: Output<"trend">["marks"]): readonly DayMark[] {
  return [...new Map(marks.map(({ day, what }) => [`${day} ${what}`, { day, text: what }])).values()];
}

/** Used if the page has no time filter. */
const TREND_DAYS = 30;
