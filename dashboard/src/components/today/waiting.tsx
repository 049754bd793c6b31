import { useState } from "preact/hooks";
import type { Output } from "../../api/api-result.ts";
import type { Subject } from "../../actions/action.ts";
import { proposalSubject, ruleSubject } from "../../actions/subjects.ts";
import { useResource } from "../../api/use-resource.ts";
import { rulePath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { Loaded } from "../frame/loaded.tsx";
import { DiffLines } from "../history/diff-lines.tsx";
import { WithCommands } from "../with-commands.tsx";

type Waiting = Output<"today">["waiting"];
type Item = Waiting["first"][number];

/** What needs the owner's decision, with its buttons. */
export function WaitingForYou({ waiting }: { readonly waiting: Waiting }) {
  const all = waiting.alerts + waiting.approvals + waiting.rules + waiting.proposals + waiting.wrong;
  if (all === 0) return <p class="border-y border-line py-3 text-soft">Nothing waits for a decision.</p>;
  const more = all - waiting.first.length;
  return (
    <>
      <ul aria-label="Waiting for you" class="divide-y divide-line border-y border-line">
        {waiting.first.map((item) => (
          <li
            key={`${item.kind} ${item.id}`}
            class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-2.5"
          >
            <div class="min-w-0 flex-1 basis-64">
              <a href={hrefOf(item)} class="line-clamp-2 break-words text-ink">
                <WithCommands text={item.text} />
              </a>
              <p class="flex flex-wrap items-baseline gap-x-2 text-xs text-faint">
                {item.kind !== "rule" && <Badge tone={kindTones[item.kind]}>{item.kind}</Badge>}
                {item.detail}
              </p>
              {item.kind === "proposal" && <ProposedChange id={item.id} />}
            </div>
            {item.kind === "approval" || item.kind === "alert" ? (
              <a href={hrefOf(item)} class="press">
                {item.kind === "approval" ? "Look and answer" : "Look at the job"}
              </a>
            ) : (
              <ActionBar
                subject={subjectOf(item)}
                first={decisions[item.kind]}
                only
                label={`Decide on: ${item.text}`}
              />
            )}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p class="mt-2 text-sm">
          <a href="/rules/review">Review {formatMany(more, "more", "more")}</a>
        </p>
      )}
    </>
  );
}

/** The proposal's diff, loaded when it is opened. */
function ProposedChange({ id }: { readonly id: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="group mt-1 text-sm" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary class="inline-flex items-center gap-1.5 text-soft hover:text-ink">
        <Chevron /> What would change
      </summary>
      {isOpen && <Diff id={id} />}
    </details>
  );
}

function Diff({ id }: { readonly id: string }) {
  return (
    <Loaded resource={useResource("soul/proposals", {})} rows={1}>
      {({ proposals }) => {
        const found = proposals.find((one) => one.id === id);
        return found ? <DiffLines diff={found.diff} label={`What would change in ${found.file}`} /> : null;
      }}
    </Loaded>
  );
}

const kindTones = { alert: "fail", approval: "warn", "wrong rule": "fail", proposal: "brass" } as const;

const decisions = {
  rule: ["rules/approve", "rules/reject"],
  "wrong rule": ["rules/retire"],
  proposal: ["soul/accept", "soul/reject"],
} as const;

function subjectOf({ kind, id, text }: Item): Subject {
  if (kind === "proposal") return proposalSubject({ id, reason: text, status: "open" });
  return ruleSubject({ id, text, status: kind === "rule" ? "candidate" : "approved" });
}

function hrefOf({ kind, id }: Item): string {
  if (kind === "approval") return "/approvals";
  if (kind === "alert") return "/jobs";
  return kind === "proposal" ? "/identity" : rulePath(id);
}
