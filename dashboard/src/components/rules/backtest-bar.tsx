import type { Backtest } from "../../api/contract.ts";
import { formatAtLeastPercent, formatCount } from "../../text/count.ts";

/** How many of the calls that the rule matched failed: the same count as in the rule's sentence. */
export function BacktestBar({ backtest }: { readonly backtest: Backtest | null }) {
  if (backtest === null) return <span class="text-xs text-faint">not tested yet</span>;
  const { hits, fired, lower, precision } = backtest;
  return (
    <span
      class="inline-flex items-center gap-2 text-xs text-faint"
      title={`${formatCount(hits)} of the ${formatCount(fired)} recorded calls that match it failed: at least ${formatAtLeastPercent(lower)}, with 95 % confidence`}
    >
      <RightBar precision={precision} lower={lower} />
      {fired === 0 ? "no matching call" : `failed ${formatCount(hits)} of ${formatCount(fired)}`}
    </span>
  );
}

/** The precision as a bar, with its lower bound as a mark on it. */
export function RightBar({ precision, lower }: { readonly precision: number; readonly lower: number }) {
  return (
    <svg class="h-2 w-16" aria-hidden="true">
      <rect class="fill-line" y="2" width="100%" height="4" rx="2" />
      <rect class="fill-good" y="2" width={share(precision)} height="4" rx="2" />
      <rect class="fill-ink" x={share(lower)} y="0" width="1.5" height="8" />
    </svg>
  );
}

/** Explains the bar next to each rule. */
export function BacktestLegend() {
  return (
    <p class="mb-2 flex flex-wrap items-center gap-x-2 text-xs text-faint">
      <RightBar precision={0.8} lower={0.55} />
      <span>
        The share of the recorded calls matching the rule that failed. The mark: at least this share, with 95 %
        confidence.
      </span>
    </p>
  );
}

function share(value: number): string {
  return `${Math.max(0, Math.min(1, value)) * 100}%`;
}
