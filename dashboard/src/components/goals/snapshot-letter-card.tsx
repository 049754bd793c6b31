import type { ComponentChildren } from "preact";
import type { Snapshot } from "../../api/contract.ts";
import { formatMany } from "../../text/count.ts";
import { Badge } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { Time } from "../time.tsx";

/** A snapshot as the letter that it is: its text, and the other fields when it is opened. */
export function SnapshotLetterCard({ letter }: { readonly letter: Snapshot }) {
  const { at, cycleCount, content, currentFocus, activeGoals, recentOutcomes, openBlockers, keyLearnings } = letter;
  return (
    <li class="py-3">
      <p class="flex flex-wrap items-baseline gap-x-2 text-sm text-soft">
        <Time at={at} />
        <span>after {formatMany(cycleCount, "cycle")}</span>
        {letter.source !== null && <Badge>from {letter.source}</Badge>}
      </p>
      <p class="mt-1 [overflow-wrap:anywhere] whitespace-pre-wrap">{content}</p>
      {currentFocus !== null && <p class="mt-1 text-sm [overflow-wrap:anywhere]">Next: {currentFocus}</p>}
      <details class="group mt-1 text-sm">
        <summary class="inline-flex items-center gap-1.5 text-soft hover:text-ink">
          <Chevron /> Goals, outcomes, blockers, learnings
        </summary>
        <div class="mt-2 flex flex-col gap-2">
          <Field title="Goals">
            {activeGoals.map(({ id, title, status, verifiedPercent, claimedPercent }) => (
              <li key={`${id} ${title}`}>
                {title}: {status}, {verifiedPercent} % verified, {claimedPercent} % claimed
              </li>
            ))}
          </Field>
          <Field title="Lately">
            {recentOutcomes.map(({ summary, success }) => (
              <li key={summary}>
                {success ? "Worked" : "Failed"}: {summary}
              </li>
            ))}
          </Field>
          <Field title="Blocked">
            {openBlockers.map(({ goal, description }) => (
              <li key={`${goal} ${description}`}>{description}</li>
            ))}
          </Field>
          <Field title="Learned">
            {keyLearnings.map(({ content: learned, confidence }) => (
              <li key={learned}>
                {learned} ({confidence.toFixed(2)})
              </li>
            ))}
          </Field>
        </div>
      </details>
    </li>
  );
}

function Field({ title, children }: { readonly title: string; readonly children: readonly ComponentChildren[] }) {
  if (children.length === 0) return null;
  return (
    <div>
      <p class="text-soft">{title}</p>
      <ul class="list-disc pl-5 [overflow-wrap:anywhere]">{children}</ul>
    </div>
  );
}
