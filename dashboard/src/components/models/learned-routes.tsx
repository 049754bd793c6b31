import type { Output } from "../../api/api-result.ts";
import { formatCount } from "../../text/count.ts";
import { formatDollars, formatQuality } from "../../text/money.ts";
import { Badge } from "../badge.tsx";
import { Time } from "../time.tsx";

type Stats = Output<"models/stats">;
type Tally = Stats["tallies"][number];

/** What the router has learned about each kind of task, failing providers, and the owner's decisions. */
export function LearnedRoutes({ stats }: { readonly stats: Stats }) {
  const kinds = [...new Set(stats.tallies.map(kindOf))];
  if (kinds.length === 0 && stats.providers.length === 0)
    return <p class="border-y border-line py-3 text-sm text-soft">Nothing yet. The router learns from every call.</p>;
  return (
    <div class="flex flex-col gap-4">
      <ul class="flex flex-col gap-1 text-sm">
        {stats.providers.map((one) => (
          <li key={one.provider}>
            <Badge tone={one.state === "closed" ? "warn" : "fail"}>
              {one.state === "open" ? "not called" : "failing"}
            </Badge>{" "}
            {one.provider} failed {formatCount(one.failures)} times in a row
            {one.until !== null && (
              <>
                {" "}
                (until <Time at={one.until} />)
              </>
            )}
          </li>
        ))}
        {stats.retired.map((one) => (
          <li key={one.model} class="[overflow-wrap:anywhere]">
            <Badge tone="warn">left out</Badge> {one.model} is {one.why}.
          </li>
        ))}
        {stats.preferences.map((one) => (
          <li key={`${one.complexity} ${one.taskType}`} class="[overflow-wrap:anywhere]">
            <Badge tone="brass">goes first</Badge> {one.model} for {one.complexity} {one.taskType}: {one.why}
          </li>
        ))}
      </ul>
      {kinds.map((kind) => (
        <KindTable key={kind} kind={kind} tallies={stats.tallies.filter((one) => kindOf(one) === kind)} />
      ))}
    </div>
  );
}

function KindTable({ kind, tallies }: { readonly kind: string; readonly tallies: readonly Tally[] }) {
  return (
    <div class="overflow-x-auto border-y border-line" tabIndex={0} role="region" aria-label={`Models for ${kind}`}>
      <table class="w-full text-sm">
        <caption class="py-1.5 text-left font-medium">{kind}</caption>
        <thead>
          <tr class="text-left text-soft">
            <th scope="col" class="py-1 pr-3 font-normal">
              Model
            </th>
            {["Tries", "Quality", "Outcomes", "Cost of a call", "Seconds"].map((title) => (
              <th key={title} scope="col" class="py-1 pl-3 text-right font-normal whitespace-nowrap">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class="divide-y divide-line">
          {tallies
            .toSorted((a, b) => (b.quality ?? 0) - (a.quality ?? 0))
            .map((one) => (
              <tr key={one.model}>
                <th scope="row" class="min-w-36 py-1 pr-3 text-left font-normal [overflow-wrap:anywhere]">
                  {one.model}
                </th>
                <td class="py-1 pl-3 text-right">{formatCount(one.tries)}</td>
                <td class="py-1 pl-3 text-right">{one.quality === null ? "–" : formatQuality(one.quality)}</td>
                <td class="py-1 pl-3 text-right">{one.outcomes}</td>
                <td class="py-1 pl-3 text-right">{one.cost === null ? "–" : formatDollars(one.cost)}</td>
                <td class="py-1 pl-3 text-right">{one.seconds ?? "–"}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function kindOf({ complexity, taskType, attempt }: Tally): string {
  return `${complexity} ${taskType}${attempt === "later" ? ", after a failed check" : ""}`;
}
