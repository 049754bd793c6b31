import { useEffect, useRef } from "preact/hooks";
import type { Rule } from "../../api/contract.ts";
import { useQueryOnce } from "../../api/use-query-once.ts";
import { rulePath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { formatScope } from "../../text/scope.ts";
import { BacktestFigures } from "./backtest-figures.tsx";
import { Badge } from "../badge.tsx";
import { levelTitle, levelTone } from "./level-tone.ts";
import { EvidenceList } from "./evidence-list.tsx";
import { Loaded } from "../frame/loaded.tsx";
import { WithCommands } from "../with-commands.tsx";

type Props = {
  readonly rule: Rule;
  readonly busy: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
  readonly onSkip: () => void;
};

/** The candidate to decide on, with its evidence. */
export function CandidateCard({ rule, busy, onApprove, onReject, onSkip }: Props) {
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => card.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <li ref={card} aria-current="true" class="-mx-3 border-l-2 border-l-brass bg-mark px-3 py-3">
      <p class="flex items-baseline justify-between gap-4 max-sm:flex-col max-sm:gap-1">
        <a href={rulePath(rule.id)} class="max-w-[75ch] min-w-0 font-medium text-pretty break-words text-ink">
          <WithCommands text={rule.text} />
        </a>
        <Badge tone={levelTone(rule.level)} title={levelTitle(rule.level)}>
          {rule.level}
        </Badge>
      </p>
      <p class="my-2 flex flex-wrap gap-x-4 text-sm text-soft">
        {rule.matcherInWords !== null && (
          <span>
            against <WithCommands text={rule.matcherInWords} />
          </span>
        )}
        <span class="break-all">{formatScope(rule.scope)}</span>
        <span>
          seen {formatMany(rule.evidence.observations, "time")} in {formatMany(rule.evidence.sessions, "session")}
        </span>
      </p>
      {rule.matcherInWords !== null && <Replay id={rule.id} />}
      <Evidence id={rule.id} />
      <div role="group" aria-label="Decide" class="mt-3 flex flex-wrap gap-2">
        <KeyButton name="Approve" keys="a" busy={busy} onClick={onApprove} />
        <KeyButton name="Reject" keys="r" busy={busy} onClick={onReject} />
        <KeyButton name="Skip" keys="s" busy={busy} onClick={onSkip} />
      </div>
    </li>
  );
}

function Replay({ id }: { readonly id: string }) {
  return (
    <Loaded resource={useQueryOnce("rules/backtest", { id })} rows={2}>
      {(found) => <BacktestFigures found={found} />}
    </Loaded>
  );
}

/** A few of the calls the rule was made from. */
function Evidence({ id }: { readonly id: string }) {
  return (
    <Loaded resource={useQueryOnce("rules/why", { id })} rows={2}>
      {({ because }) =>
        because.length === 0 ? null : (
          <div class="mt-3">
            <h2 class="mb-1 text-xs font-medium text-soft">Calls it was learned from</h2>
            <EvidenceList because={because} limit={3} />
          </div>
        )
      }
    </Loaded>
  );
}

type ButtonProps = {
  readonly name: string;
  readonly keys: string;
  readonly busy: boolean;
  readonly onClick: () => void;
};

function KeyButton({ name, keys, busy, onClick }: ButtonProps) {
  return (
    <button type="button" class="press" aria-keyshortcuts={keys} disabled={busy} onClick={onClick}>
      {name} <kbd class="ml-1 text-faint">{keys}</kbd>
    </button>
  );
}
