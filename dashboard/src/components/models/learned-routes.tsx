import type { Output } from "../../api/api-result.ts";
import { formatCount, formatMany } from "../../text/count.ts";
import { formatDollars, formatQuality } from "../../text/money.ts";
import { Badge } from "../badge.tsx";
import { Time } from "../time.tsx";
import { type FigureColumn, FigureTable } from "./figure-table.tsx";

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
            {one.provider} failed {formatMany(one.failures, "time")} in a row
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

const columns: readonly FigureColumn<Tally>[] = [
  { title: "Calls", read: ({ tries }) => formatCount(tries) },
  { title: "Quality", read: ({ quality }) => (quality === null ? "–" : formatQuality(quality)) },
  { title: "Known from", read: formatEvidence },
  { title: "Cost of a call", read: ({ cost }) => (cost === null ? "–" : formatDollars(cost)) },
  { title: "Seconds", read: ({ seconds }) => String(seconds ?? "–") },
];

function KindTable({ kind, tallies }: { readonly kind: string; readonly tallies: readonly Tally[] }) {
  const sorted = tallies.toSorted((a, b) => (b.quality ?? 0) - (a.quality ?? 0));
  return (
    <FigureTable
      label={`Models for ${kind}`}
      title={kind}
      name="Model"
      rows={sorted}
      nameOf={({ model }) => model}
      columns={columns}
    />
  );
}

/** Whether the quality was judged or is only a guess. */
function formatEvidence({ outcomes, judged }: Tally): string {
  if (outcomes === 0) return "–";
  return judged < 0.5 ? "a guess" : formatMany(Math.round(judged), "verdict");
}

function kindOf({ complexity, taskType, attempt }: Tally): string {
  return `${complexity} ${taskType}${attempt === "later" ? ", after a failed check" : ""}`;
}
