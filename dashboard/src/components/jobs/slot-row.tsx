import type { JobSlot } from "../../api/contract.ts";
import { now } from "../../browser/clock.ts";
import { localizeTimes } from "../../text/localize-times.ts";
import { Badge, type Tone } from "../badge.tsx";
import { Time } from "../time.tsx";

/** One due time of a job, and what became of it. */
export function SlotRow({ slot }: { readonly slot: JobSlot }) {
  const { job, fate, missed, detail, late, byHand, machine } = slot;
  return (
    <li class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-1.5 text-sm">
      <span class="text-soft">
        <Time at={slot.slot} />
      </span>
      <span class="font-medium [overflow-wrap:anywhere]">{job}</span>
      <Badge tone={tones[fate]}>{missed === null ? fate : `missed: ${missed}`}</Badge>
      {late && <Badge>late</Badge>}
      {byHand && <Badge>by hand</Badge>}
      {machine !== null && <span class="text-xs text-soft">on {machine}</span>}
      {detail !== null && detail !== "" && (
        <span class="line-clamp-2 min-w-0 basis-full text-xs [overflow-wrap:anywhere] text-soft">
          {fate === "missed" ? localizeTimes(detail, now.value) : detail}
        </span>
      )}
    </li>
  );
}

const tones: Readonly<Record<JobSlot["fate"], Tone>> = {
  due: "brass",
  running: "brass",
  ran: "good",
  failed: "fail",
  missed: "warn",
};
