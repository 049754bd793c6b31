import type { Output } from "../../api/api-result.ts";
import { formatCount } from "../../text/count.ts";
import { formatDollars, formatDuration, formatQuality } from "../../text/money.ts";

type Groups = Output<"models/usage">["groups"];
type Props = { readonly name: string; readonly groups: Groups };

const columns: readonly { readonly title: string; readonly read: (one: Groups[number]) => string }[] = [
  { title: "Cost", read: ({ cost }) => formatDollars(cost) },
  { title: "Calls", read: ({ calls }) => formatCount(calls) },
  { title: "Failed", read: ({ failed }) => formatCount(failed) },
  { title: "Median time", read: ({ medianMs }) => (medianMs === null ? "–" : formatDuration(medianMs)) },
  {
    title: "Quality",
    read: ({ quality, judged }) => (quality === null ? "–" : `${formatQuality(quality)} of ${formatCount(judged)}`),
  },
  { title: "Healed", read: ({ healed }) => formatCount(healed) },
  { title: "Cached", read: ({ cached }) => formatCount(cached) },
];

/** One row for each group. On a narrow screen the table scrolls inside its frame. */
export function GroupTable({ name, groups }: Props) {
  const label = `Calls by ${name.toLowerCase()}`;
  return (
    <div class="overflow-x-auto border-y border-line" tabIndex={0} role="region" aria-label={label}>
      <table class="w-full text-sm">
        <caption class="sr-only">{label}</caption>
        <thead>
          <tr class="text-left text-soft">
            <th scope="col" class="py-1.5 pr-3 font-normal">
              {name}
            </th>
            {columns.map(({ title }) => (
              <th key={title} scope="col" class="py-1.5 pl-3 text-right font-normal whitespace-nowrap">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class="divide-y divide-line">
          {groups.map((one) => (
            <tr key={one.of}>
              <th scope="row" class="min-w-36 py-1.5 pr-3 text-left font-normal [overflow-wrap:anywhere]">
                {one.of}
              </th>
              {columns.map(({ title, read }) => (
                <td key={title} class="py-1.5 pl-3 text-right whitespace-nowrap">
                  {read(one)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
