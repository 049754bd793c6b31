import type { JobSlot } from "../../api/contract.ts";
import { now } from "../../browser/clock.ts";
import { formatDay } from "../chart/day-scale.ts";
import { FigureTable } from "../models/figure-table.tsx";

type Props = {
  readonly slots: readonly JobSlot[];
  /** True if there are more slots than these. */
  readonly isCut: boolean;
};

const DAYS = 7;
const DAY = 86_400_000;

/** For each job and day: how many slots ran, failed and were missed. */
export function SlotCalendar({ slots, isCut }: Props) {
  const days = Array.from({ length: DAYS }, (_, n) => localDay(now.value - (DAYS - 1 - n) * DAY));
  const names = [...new Set(slots.map(({ job }) => job))].toSorted();
  return (
    <div>
      <FigureTable
        label="Slots by day"
        title="Ran · failed · missed, by day"
        name="Job"
        rows={names}
        nameOf={(name) => name}
        columns={days.map((day) => ({
          title: formatDay(day),
          read: (name) =>
            formatFates(slots.filter((one) => one.job === name && localDay(Date.parse(one.slot)) === day)),
        }))}
      />
      {isCut && <p class="mt-1.5 text-xs text-faint">Only the newest {slots.length} slots are counted.</p>}
    </div>
  );
}

function formatFates(slots: readonly JobSlot[]): string {
  if (slots.length === 0) return "–";
  const count = (fate: JobSlot["fate"]) => slots.filter((one) => one.fate === fate).length;
  return `${count("ran")} · ${count("failed")} · ${count("missed")}`;
}

/** `2026-11-17`, in the time zone of the browser. */
function localDay(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
