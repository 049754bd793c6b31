import { useState } from "preact/hooks";
import type { Rule } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { useFilterInput } from "../browser/current-filter.ts";
import { findAction } from "../actions/applicable.ts";
import { isBusy, startAction, undoLast } from "../actions/run-action.ts";
import { newSubject, ruleSubject } from "../actions/subjects.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { CandidateCard } from "../components/rules/candidate-card.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { IncrementalList } from "../components/incremental-list.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { RuleEntry } from "../components/rules/rule-entry.tsx";
import { useKeys } from "../components/frame/use-keys.ts";
import { formatMany } from "../text/count.ts";
import type { View } from "../view.ts";

export const review: View = { path: "/rules/review", title: "Review", Page: Review };

function Review() {
  const resource = useResource("rules/list", useFilterInput());
  const [skipped, setSkipped] = useState<readonly string[]>([]);
  // The list is reloaded after each decision; until then, decided rules must not reappear.
  const [decided, setDecided] = useState<readonly string[]>([]);
  const queue = makeQueue(resource.value ?? [], skipped, decided);
  const [first] = queue;

  const decide = (rule: Rule | undefined, verb: "approve" | "reject") => {
    if (rule === undefined) return;
    void startAction({
      action: findAction(`rules/${verb}`),
      subject: ruleSubject(rule),
      onDone: () => setDecided((before) => [...before, rule.id]),
      onUndone: () => setDecided((before) => before.filter((id) => id !== rule.id)),
    });
  };
  const skip = () => first && setSkipped([...skipped.filter((id) => id !== first.id), first.id]);
  useKeys({
    a: { does: "Approve the candidate", run: () => decide(first, "approve") },
    r: { does: "Reject the candidate", run: () => decide(first, "reject") },
    s: { does: "Skip the candidate", run: () => void skip() },
    u: { does: "Take the last decision back", run: () => void undoLast() },
  });
  return (
    <>
      <p class="text-sm">
        <a href="/rules">← Rules</a>
      </p>
      <PageHead title="Review" lead={resource.value && describeQueue(queue.length)}>
        <ActionBar subject={newSubject("mind")} first={["distil"]} label="Look for more" />
      </PageHead>
      <Loaded resource={resource}>
        {() =>
          first === undefined ? (
            <Empty
              title="Nothing to decide"
              text="The button above, or `oldhand distil --write`, looks for new candidates."
            />
          ) : (
            <ul class="mt-2 divide-y divide-line border-y border-line">
              <CandidateCard
                key={first.id}
                rule={first}
                busy={isBusy.value}
                onApprove={() => decide(first, "approve")}
                onReject={() => decide(first, "reject")}
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

function describeQueue(count: number): string {
  if (count === 0) return "No rule waits for your decision";
  return `${formatMany(count, "candidate")} to decide on, best evidence first`;
}

/** Best evidence first. Skipped rules come last, in the order they were skipped. */
function makeQueue(all: readonly Rule[], skipped: readonly string[], decided: readonly string[]): readonly Rule[] {
  return all
    .filter(({ id, waits }) => waits && !decided.includes(id))
    .toSorted(
      (a, b) =>
        skipped.indexOf(a.id) - skipped.indexOf(b.id) ||
        (b.backtest?.lower ?? 0) - (a.backtest?.lower ?? 0) ||
        b.evidence.observations - a.evidence.observations,
    );
}
