import type { Output } from "../../api/api-result.ts";
import { formatAtLeastPercent, formatCount, formatMany, formatPercent } from "../../text/count.ts";
import { RightBar } from "./backtest-bar.tsx";
import { Badge } from "../badge.tsx";
import { levelTitle, levelTone } from "./level-tone.ts";

type BacktestReplay = Output<"rules/backtest">;

/** The rule's backtest over all recorded calls. */
export function BacktestFigures({ found }: { readonly found: BacktestReplay }) {
  const figures = [
    ["chances", found.opportunities],
    ["would have spoken", found.fired],
    ["of these failed", found.hits],
    ["false alarms", found.falseAlarms],
  ] as const;
  return (
    <div class="border-y border-line py-3">
      <dl class="grid grid-cols-2 gap-x-6 gap-y-2 sm:grid-cols-4">
        {figures.map(([name, value]) => (
          <div key={name} class="flex flex-col-reverse justify-end">
            <dt class="text-sm text-soft">{name}</dt>
            <dd class="text-lg font-light">{formatCount(value)}</dd>
          </div>
        ))}
      </dl>
      <p class="mt-2 flex flex-wrap items-center gap-x-3 text-sm text-soft">
        <RightBar precision={found.precision} lower={found.lower} />
        {found.fired === 0
          ? "No recorded call matches it."
          : `Precision ${formatPercent(found.precision)}, at least ${formatAtLeastPercent(found.lower)} (95 % confidence)`}
      </p>
      <p class="mt-1 text-sm text-soft">
        Its situation came up in {formatMany(found.sessions.met, "session")}; calls failed in{" "}
        {formatCount(found.sessions.failed)}. The evidence is strong enough for level{" "}
        <Badge tone={levelTone(found.ceiling.level)} title={levelTitle(found.ceiling.level)}>
          {found.ceiling.level}
        </Badge>{" "}
        <span class="text-faint">({found.ceiling.reason})</span>
      </p>
    </div>
  );
}
