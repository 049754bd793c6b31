import { useState } from "preact/hooks";
import { useQueryOnce } from "../api/use-query-once.ts";
import { useResource } from "../api/use-resource.ts";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { CycleRow } from "../components/goals/cycle-row.tsx";
import { LetterText } from "../components/goals/letter-text.tsx";
import { SnapshotLetterCard } from "../components/goals/snapshot-letter-card.tsx";
import { noFilter, type View } from "../view.ts";

export const letter: View = {
  path: "/letter",
  title: "Letter",
  nav: { key: "w" },
  filter: noFilter,
  Page: LetterPage,
};

const CYCLES = 50;
const SNAPSHOTS = 10;

function LetterPage() {
  return (
    <>
      <PageHead
        title="Letter"
        lead="What became of your goals since you last looked here or with oldhand report --away"
      />
      <div class="flex flex-col gap-8">
        <TodaysLetter />
        <PageSection title="Cycles">
          <Loaded resource={useResource("goal/cycles", { limit: CYCLES })} rows={4}>
            {({ cycles }) =>
              cycles.length === 0 ? (
                <p class="border-y border-line py-3 text-soft">No cycle has run yet.</p>
              ) : (
                <ul aria-label="Cycles" class="divide-y divide-line border-y border-line">
                  {cycles.map((cycle) => (
                    <CycleRow key={cycle.id} cycle={cycle} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </PageSection>
        <PageSection title="Letters to the next cycle">
          <Loaded resource={useResource("snapshot/list", { limit: SNAPSHOTS })} rows={4}>
            {({ snapshots }) =>
              snapshots.length === 0 ? (
                <p class="border-y border-line py-3 text-soft">There is no snapshot yet: the first cycle makes one.</p>
              ) : (
                <ul aria-label="Letters to the next cycle" class="divide-y divide-line border-y border-line">
                  {snapshots.map((one) => (
                    <SnapshotLetterCard key={one.id} letter={one} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </PageSection>
      </div>
    </>
  );
}

/** Asked for once, because whoever opens the page has looked: the next letter begins now. */
function TodaysLetter() {
  const [since, setSince] = useState<string | null>(null);
  const found = useQueryOnce("letter", since === null ? { seen: true } : { since });
  return (
    <section aria-label="The letter" class="min-w-0">
      <Loaded resource={found} rows={6}>
        {(shown) => (
          <>
            <LetterText letter={shown} />
            {since === null && shown.before !== null && (
              <p class="mt-3">
                <button type="button" class="press" onClick={() => setSince(shown.before)}>
                  Show the letter before, too
                </button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
