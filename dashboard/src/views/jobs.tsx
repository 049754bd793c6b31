import { newSubject } from "../actions/subjects.ts";
import { useResource } from "../api/use-resource.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { JobCard } from "../components/jobs/job-card.tsx";
import { SlotCalendar } from "../components/jobs/slot-calendar.tsx";
import { SlotRow } from "../components/jobs/slot-row.tsx";
import { WorkerList } from "../components/jobs/worker-list.tsx";
import { noFilter, type View } from "../view.ts";

export const jobs: View = {
  path: "/jobs",
  title: "Jobs",
  nav: { key: "j", useCount: useAlertCount },
  filter: noFilter,
  Page: Jobs,
};

/** How many alerts the owner has not seen. */
function useAlertCount(): number {
  const status = useResource("status", {}).value;
  return status === null ? 0 : status.alerts.length + status.noWorker.length;
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** As many as one response may have. */
const MOST_SLOTS = 1_000;
const LISTED = 60;

function Jobs() {
  const status = useResource("job/status", {});
  const isPaused = status.value !== null && status.value.paused !== null;
  return (
    <>
      <PageHead
        title="Jobs"
        lead={`Scheduled work, and what became of every due time. Times are in the zone of this browser, ${ZONE}.`}
      >
        <ActionBar
          subject={newSubject("job", { state: { isPaused } })}
          first={["job/add", "pause", "resume"]}
          only
          label="All jobs"
        />
      </PageHead>
      <div class="flex flex-col gap-8">
        <Loaded resource={status} rows={2}>
          {(found) => <WorkerList status={found} />}
        </Loaded>
        <AllJobs />
        <LatestSlots />
      </div>
    </>
  );
}

function AllJobs() {
  return (
    <PageSection title="Schedule">
      <Loaded resource={useResource("job/list", {})} rows={3}>
        {({ jobs: found, builtIn }) => (
          <>
            {found.length === 0 ? (
              <Empty
                title="There is no job yet"
                text="`oldhand job add maintain` adds the first; `oldhand run` runs it."
              />
            ) : (
              <ul aria-label="Jobs" class="divide-y divide-line border-y border-line">
                {found.map((job) => (
                  <JobCard key={job.id} job={job} />
                ))}
              </ul>
            )}
            {builtIn.length > 0 && (
              <p class="mt-2 text-sm text-soft">Not added yet: {builtIn.map(({ name }) => name).join(", ")}</p>
            )}
          </>
        )}
      </Loaded>
    </PageSection>
  );
}

function LatestSlots() {
  return (
    <PageSection title="Slots of the last 7 days">
      <Loaded resource={useResource("job/why", { limit: MOST_SLOTS })} rows={4}>
        {({ slots, unrecorded }) =>
          slots.length === 0 ? (
            <p class="border-y border-line py-3 text-soft">
              {unrecorded.length === 0 ? "No slot was due in this time." : "No worker has recorded a slot yet."}
            </p>
          ) : (
            <div class="flex flex-col gap-6">
              <SlotCalendar slots={slots} isCut={slots.length === MOST_SLOTS} />
              <ul aria-label="Latest slots" class="divide-y divide-line border-y border-line">
                {slots.slice(0, LISTED).map((slot) => (
                  <SlotRow key={`${slot.job} ${slot.slot}`} slot={slot} />
                ))}
              </ul>
            </div>
          )
        }
      </Loaded>
    </PageSection>
  );
}
