import type { ModelUsage } from "../../api/contract.ts";
import { formatCount, formatPercent } from "../../text/count.ts";
import { formatDollars, formatDuration, formatQuality } from "../../text/money.ts";

type Figure = { readonly name: string; readonly value: string; readonly detail: string };

/** Six figures about all calls. */
export function UsageFigures({ total }: { readonly total: ModelUsage }) {
  return (
    <dl class="grid grid-cols-2 gap-px overflow-hidden rounded-md border border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
      {makeFigures(total).map(({ name, value, detail }) => (
        <div key={name} class="flex flex-col bg-raised px-4 py-3 max-sm:px-3">
          <dt class="text-sm text-soft">{name}</dt>
          <dd>
            <span class="block text-[1.5rem] leading-tight font-light tracking-tight">{value}</span>
            <span class="text-xs text-faint">{detail}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function makeFigures(total: ModelUsage): readonly Figure[] {
  const { calls, answered, failed, capped, cached, healed, cost, medianMs, slowMs, judged, quality } = total;
  return [
    {
      name: "Cost",
      value: formatDollars(cost),
      detail: answered === 0 ? "" : `${formatDollars(cost / answered)} per answer`,
    },
    {
      name: "Calls",
      value: formatCount(calls),
      detail: `${formatCount(failed)} failed${capped > 0 ? `, ${formatCount(capped)} stopped by a cap` : ""}`,
    },
    {
      name: "Time to answer",
      value: medianMs === null ? "–" : formatDuration(medianMs),
      detail: slowMs === null ? "" : `95 % within ${formatDuration(slowMs)}`,
    },
    {
      name: "Quality",
      value: quality === null ? "–" : formatQuality(quality),
      detail: judged === 0 ? "no answer was judged" : `mean of ${formatCount(judged)} judged`,
    },
    { name: "Healed", value: formatCount(healed), detail: "answered by a later attempt" },
    {
      name: "From the cache",
      value: formatCount(cached),
      detail: `${formatPercent(cached / Math.max(1, calls))} of the calls`,
    },
  ];
}
