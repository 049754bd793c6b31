import type { Output } from "../../api/api-result.ts";
import { formatCount } from "../../text/count.ts";
import { formatDollars, formatDuration, formatQuality } from "../../text/money.ts";
import { type FigureColumn, FigureTable } from "./figure-table.tsx";

type Groups = Output<"models/usage">["groups"];
type Props = { readonly name: string; readonly groups: Groups };

const columns: readonly FigureColumn<Groups[number]>[] = [
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

/** One row for each group. */
export function GroupTable({ name, groups }: Props) {
  const label = `Calls by ${name.toLowerCase()}`;
  return <FigureTable label={label} name={name} rows={groups} nameOf={({ of }) => of} columns={columns} />;
}
