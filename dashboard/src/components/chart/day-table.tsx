import type { DayMark, Series } from "./day-chart.tsx";
import { formatDay, formatOr } from "./day-scale.ts";

type Props = {
  readonly label: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly marks: readonly DayMark[];
  readonly format: (value: number) => string;
};

/** The chart's counts as a table, newest day first. */
export function DayTable({ label, days, series, marks, format }: Props) {
  return (
    <div class="max-h-80 overflow-auto border-y border-line" tabIndex={0} role="region" aria-label={`${label}, table`}>
      <table class="w-full text-sm">
        <caption class="sr-only">{label}</caption>
        <thead class="sticky top-0 bg-paper">
          <tr class="text-left text-soft">
            <th scope="col" class="py-1.5 pr-3 align-bottom font-normal max-sm:pr-0 max-sm:text-xs">
              Day
            </th>
            {series.map(({ name }) => (
              <th
                key={name}
                scope="col"
                class="py-1.5 pl-3 text-right align-bottom font-normal max-sm:pl-1.5 max-sm:text-xs"
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class="divide-y divide-line">
          {days
            .map((day, at) => (
              <tr key={day}>
                <th scope="row" class="py-1 pr-3 text-left font-normal whitespace-nowrap max-sm:pr-0">
                  {formatDay(day, { long: true })}
                  {marks
                    .filter((mark) => mark.day === day)
                    .map((mark) => (
                      <span key={mark.text} class="ml-2 text-xs text-brass">
                        {mark.text}
                      </span>
                    ))}
                </th>
                {series.map(({ name, values }) => (
                  <td key={name} class="py-1 pl-3 text-right">
                    {formatOr(values[at] ?? null, format)}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  );
}
