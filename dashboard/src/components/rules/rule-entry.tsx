import type { Rule } from "../../api/contract.ts";
import { rulePath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { formatScope } from "../../text/scope.ts";
import { BacktestBar } from "./backtest-bar.tsx";
import { Badge } from "../badge.tsx";
import { levelTitle, levelTone } from "./level-tone.ts";
import { Time } from "../time.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";
import { WithCommands } from "../with-commands.tsx";

/** A rule in three lines, with a link to its page. */
export function RuleEntry({ rule }: { readonly rule: Rule }) {
  return (
    <li class="py-3">
      <div class="flex items-baseline justify-between gap-4 max-sm:flex-col max-sm:gap-1">
        <a href={rulePath(rule.id)} class="max-w-[75ch] min-w-0 text-pretty [overflow-wrap:anywhere] text-ink">
          <WithCommands text={rule.text} />
        </a>
        <p class="flex shrink-0 flex-wrap gap-1.5">
          {rule.pinned && <Badge tone="brass">pinned</Badge>}
          <VerdictBadge effect={rule.effect} />
          <Badge>{rule.status}</Badge>
          <Badge tone={levelTone(rule.level)} title={levelTitle(rule.level)}>
            {rule.level}
          </Badge>
        </p>
      </div>
      <p class="mt-1 flex flex-wrap items-center gap-x-4 text-xs text-faint">
        {rule.matcherInWords !== null && <BacktestBar backtest={rule.backtest} />}
        <span>from {rule.origin}</span>
        <span class="break-all">{formatScope(rule.scope)}</span>
        {rule.evidence.observations > 0 && (
          <>
            <span>
              seen {formatMany(rule.evidence.observations, "time")} in {formatMany(rule.evidence.sessions, "session")}
            </span>
            <span>
              last <Time at={rule.evidence.last} />
            </span>
          </>
        )}
      </p>
    </li>
  );
}
