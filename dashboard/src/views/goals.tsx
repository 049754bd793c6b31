import { useState } from "preact/hooks";
import { newSubject } from "../actions/subjects.ts";
import { useResource } from "../api/use-resource.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { GoalCard } from "../components/goals/goal-card.tsx";
import { ReflectionSection } from "../components/goals/reflection-section.tsx";
import { formatMany } from "../text/count.ts";
import { noFilter, type View } from "../view.ts";

export const goals: View = {
  path: "/goals",
  title: "Goals",
  nav: { key: "g", useCount: useProposedCount },
  filter: noFilter,
  Page: Goals,
};

/** How many goals agents proposed. */
function useProposedCount(): number {
  return useResource("goal/list", { status: "proposed" }).value?.goals.length ?? 0;
}

function Goals() {
  const [all, setAll] = useState(false);
  const found = useResource("goal/list", { all });
  return (
    <>
      <PageHead title="Goals" lead="What is to be reached, task by task: verified by a check, or only claimed">
        <ActionBar subject={newSubject("goal")} first={["goal/add", "cycle"]} only label="All goals" />
      </PageHead>
      <Loaded resource={found} rows={4}>
        {({ goals: shown, ended }) => (
          <>
            {shown.length === 0 ? (
              <Empty title="There is no goal" text="`oldhand goal add TITLE` adds one, and so does the button above." />
            ) : (
              <ul aria-label="Goals" class="divide-y divide-line border-y border-line">
                {shown.map((goal) => (
                  <GoalCard key={goal.id} goal={goal} />
                ))}
              </ul>
            )}
            {ended > 0 && (
              <p class="py-3 text-center">
                <button type="button" class="press" onClick={() => setAll(true)}>
                  Show {formatMany(ended, "ended goal")}
                </button>
              </p>
            )}
          </>
        )}
      </Loaded>
      <ReflectionSection />
    </>
  );
}
