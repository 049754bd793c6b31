import { useState } from "preact/hooks";
import type { Rule } from "../api/contract.ts";
import { useActions } from "../api/use-actions.ts";
import { useResource } from "../api/use-resource.ts";
import { useFilterInput } from "../browser/current-filter.ts";
import { CandidateCard } from "../components/rules/candidate-card.tsx";
import { type CompletedAction, DoneNotice } from "../components/history/done-notice.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { IncrementalList } from "../components/incremental-list.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { ProblemNotice } from "../components/frame/problem-notice.tsx";
import { RuleEntry } from "../components/rules/rule-entry.tsx";
import { useKeys } from "../components/frame/use-keys.ts";
import { formatMany } from "../text/count.ts";
import type { View } from "../view.ts";

export const review: View = { path: "/rules/review", title: "Review", Page: Review };

function Review() {
  const resource = useResource("rules/list", useFilterInput());
  const actions = useActions();
  const [skipped, setSkipped] = useState<readonly string[]>([]);
  // The list is asked anew after each decision; what was decided must not come up again before it answers.
  const [decided, setDecided] = useState<readonly string[]>([]);
  const [done, setDone] = useState<CompletedAction | null>(null);
  const queue = makeQueue(resource.value ?? [], skipped, decided);
  const [first] = queue;

  const decide = async (rule: Rule | undefined, verb: "approve" | "reject") => {
    if (rule === undefined || actions.busy) return;
    const made = await actions.act(`rules/${verb}`, { id: rule.id });
    if (made === null) return;
    setDecided([...decided, rule.id]);
    setDone({ text: `${verb === "approve" ? "Approved" : "Rejected"}: ${rule.text}`, change: made.change?.id ?? null });
  };
  const skip = () => first && setSkipped([...skipped.filter((id) => id !== first.id), first.id]);
  const takenBack = () => {
    setDecided(decided.slice(0, -1));
    setDone({ text: "Taken back.", change: null });
  };
  const takeBack = async () => {
    if (done === null || done.change === null || actions.busy) return;
    if (await actions.act("undo", { id: done.change })) takenBack();
  };
  useKeys({
    a: { does: "Approve the candidate", run: () => void decide(first, "approve") },
    r: { does: "Reject the candidate", run: () => void decide(first, "reject") },
    s: { does: "Skip the candidate", run: () => void skip() },
    u: { does: "Take the last decision back", run: () => void takeBack() },
  });
  return (
    <>
      <p class="text-sm">
        <a href="/rules">← Rules</a>
      </p>
      <PageHead
        title="Review"
        lead={resource.value && `${formatMany(queue.length, "candidate")} to decide on, most often right first`}
      />
      {actions.problem && <ProblemNotice problem={actions.problem} />}
      <DoneNotice done={done} actions={actions} onUndone={takenBack} undoKey="u" />
      <Loaded resource={resource}>
        {() =>
          first === undefined ? (
            <Empty title="Nothing to decide" text="`oldhand distil --write` looks for new candidates." />
          ) : (
            <ul class="mt-2 divide-y divide-line border-y border-line">
              <CandidateCard
                key={first.id}
                rule={first}
                busy={actions.busy}
                onApprove={() => void decide(first, "approve")}
                onReject={() => void decide(first, "reject")}
                onSkip={skip}
              />
              <IncrementalList items={queue.slice(1)}>
                {(rule) => <RuleEntry key={rule.id} rule={rule} />}
              </IncrementalList>
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

/** Those with most to say for them first. Skipped ones come last, in the order they were skipped. */
function makeQueue(all: readonly Rule[], skipped: readonly string[], decided: readonly string[]): readonly Rule[] {
  return all
    .filter(({ id, status }) => status === "candidate" && !decided.includes(id))
    .toSorted(
      (a, b) =>
        skipped.indexOf(a.id) - skipped.indexOf(b.id) ||
        (b.backtest?.lower ?? 0) - (a.backtest?.lower ?? 0) ||
        b.evidence.observations - a.evidence.observations,
    );
}
