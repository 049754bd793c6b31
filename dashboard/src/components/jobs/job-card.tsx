import { jobSubject } from "../../actions/subjects.ts";
import type { Job } from "../../api/contract.ts";
import { now } from "../../browser/clock.ts";
import { formatAbsolute, formatDayAndTime } from "../../text/ago.ts";
import { formatMany } from "../../text/count.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge } from "../badge.tsx";

/** A job: when it is due, what it does, and its buttons. */
export function JobCard({ job }: { readonly job: Job }) {
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-2.5">
      <div class="min-w-0 flex-1 basis-64">
        <p class="flex flex-wrap items-baseline gap-x-2">
          <span class="font-medium [overflow-wrap:anywhere]">{job.name}</span>
          {!job.enabled && <Badge title="You disabled it">disabled</Badge>}
          {job.breaker !== "closed" && (
            <Badge tone="fail" title={`Breaker: ${job.breaker}`}>
              {job.breaker === "open" ? "held back: " : ""}
              {formatMany(job.failures, "failure")} in a row
            </Badge>
          )}
        </p>
        <p class="text-sm text-soft">
          <code class="break-all">{job.cron}</code> in {job.zone}
          {job.machine !== null && <>, only on {job.machine}</>}
          {job.next !== null && (
            <>
              , next here{" "}
              <time dateTime={job.next} title={formatAbsolute(Date.parse(job.next))} class="whitespace-nowrap">
                {formatDayAndTime(Date.parse(job.next), now.value)}
              </time>
            </>
          )}
          {job.waits !== null && <>, waits: {job.waits}</>}
        </p>
        {job.kind === "command" && <code class="line-clamp-2 text-xs break-all">{job.work}</code>}
        {job.model !== null && <p class="text-xs break-all text-soft">model {job.model}</p>}
      </div>
      <ActionBar subject={jobSubject(job)} first={["job/run", "job/reset"]} label={`Decide on: ${job.name}`} />
    </li>
  );
}
