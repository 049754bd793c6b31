import type { Output } from "../../api/api-result.ts";
import { now } from "../../browser/clock.ts";
import { localizeTimes } from "../../text/localize-times.ts";
import { Badge } from "../badge.tsx";
import { PageSection } from "../frame/page-section.tsx";
import { Time } from "../time.tsx";
import { WithCommands } from "../with-commands.tsx";

type Status = Output<"job/status">;

/** Alerts, the pause, and who works on what. */
export function WorkerList({ status }: { readonly status: Status }) {
  const { alerts, noWorker, off, paused, quietHours, workers, leases } = status;
  // The same alerts, in the same words, as on Today.
  const told = [...noWorker.map((text) => ({ id: text, subject: "jobs", text, at: null })), ...alerts];
  return (
    <div class="flex flex-col gap-8">
      {told.length > 0 && (
        <PageSection title="Alerts">
          <ul aria-label="Alerts" class="divide-y divide-line border-y border-line">
            {told.map(({ id, subject, text, at }) => (
              <li key={id} class="py-2 [overflow-wrap:anywhere]">
                <Badge tone="fail">{subject}</Badge> <WithCommands text={localizeTimes(text, now.value)} />{" "}
                {at !== null && (
                  <span class="text-xs text-soft">
                    <Time at={at} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </PageSection>
      )}
      <PageSection title="Workers">
        {off && (
          <p class="mb-2">
            <Badge tone="warn">off</Badge> <WithCommands text="Workers of this machine begin nothing: `oldhand on`" />
          </p>
        )}
        {paused !== null && (
          <p class="mb-2">
            <Badge tone="warn">paused</Badge> since <Time at={paused.since} />
            {paused.until !== null && (
              <>
                , until <Time at={paused.until} />
              </>
            )}
          </p>
        )}
        {quietHours !== null && (
          <p class="mb-2 text-soft">The workers of this home begin nothing in its quiet hours, {quietHours}.</p>
        )}
        {workers.every(({ state }) => state === "gone") && (
          <p class="border-y border-line py-3 text-soft">
            <WithCommands text="No worker runs. `oldhand run` starts one; `oldhand run --install` starts it with your system." />
          </p>
        )}
        {workers.length > 0 && (
          <ul aria-label="Workers" class="divide-y divide-line border-y border-line">
            {workers.map((one) => (
              <li key={one.worker} class="flex flex-wrap items-baseline gap-x-3 py-2 [overflow-wrap:anywhere]">
                <Badge tone={one.state === "lives" ? "good" : "warn"}>{one.state}</Badge>
                <span>{one.worker}</span>
                <span class="text-xs text-soft">
                  last sign of life <Time at={one.beatAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
        {leases.length > 0 && (
          <ul aria-label="Leases" class="mt-3 divide-y divide-line border-y border-line text-sm">
            {leases.map((one) => (
              <li key={`${one.job} ${one.slot}`} class="py-1.5 [overflow-wrap:anywhere]">
                <span class="font-medium">{one.job}</span>: the slot of <Time at={one.slot} /> runs in {one.worker}
              </li>
            ))}
          </ul>
        )}
      </PageSection>
    </div>
  );
}
