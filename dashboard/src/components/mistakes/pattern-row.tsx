import type { PatternStanding } from "../../api/contract.ts";
import { formatMany } from "../../text/count.ts";
import { Badge } from "../badge.tsx";

type Props = {
  readonly trend: PatternStanding;
  /** The highest count of all patterns; it fills its half of the bar. */
  readonly most: number;
  readonly chosen: boolean;
  readonly href: string;
};

/** One pattern: mistakes to the left, wins to the right. */
export function PatternRow({ trend, most, chosen, href }: Props) {
  const { pattern, mistakes, wins, balance, streak, quietDays, worst } = trend;
  return (
    <li
      aria-current={chosen ? "true" : undefined}
      class={`flex flex-wrap items-center gap-x-4 gap-y-1 py-2 ${chosen ? "-mx-3 bg-mark px-3" : ""}`}
    >
      <a href={href} class="min-w-0 flex-1 basis-40 break-words text-ink">
        {pattern}
      </a>
      <Balance left={mistakes / most} right={wins / most} />
      <span class="w-40 text-sm whitespace-nowrap max-sm:order-1 max-sm:w-auto text-soft">
        {formatMany(mistakes, "mistake")}, {formatMany(wins, "win")}
      </span>
      <span
        class={`w-40 text-sm whitespace-nowrap max-sm:order-1 max-sm:w-auto ${balance > 0 ? "text-fail" : "text-good"}`}
        title="mistakes minus wins"
      >
        {describeBalance(balance)}
      </span>
      <span class="flex w-full flex-wrap items-baseline max-sm:order-2 gap-x-3 text-xs text-faint lg:w-64">
        {streak.length > 1 && (
          <Badge tone={streak.kind === "win" ? "good" : "fail"}>
            {formatMany(streak.length, streak.kind)} in a row
          </Badge>
        )}
        {quietDays !== null && (
          <span>{quietDays === 0 ? "last mistake today" : `quiet for ${formatMany(quietDays, "day")}`}</span>
        )}
        {worst !== null && <span>worst: {worst}</span>}
      </span>
    </li>
  );
}

/** Mistakes minus wins, in words. */
function describeBalance(balance: number): string {
  if (balance > 0) return `${formatMany(balance, "mistake")} ahead`;
  return balance === 0 ? "even" : `${formatMany(-balance, "win")} ahead`;
}

function Balance({ left, right }: { readonly left: number; readonly right: number }) {
  return (
    <svg class="h-2.5 w-28 max-sm:hidden" aria-hidden="true">
      <rect class="fill-fail" x={`${50 - left * 50}%`} width={`${left * 50}%`} height="10" />
      <rect class="fill-good" x="50%" width={`${right * 50}%`} height="10" />
      <rect class="fill-ink" x="50%" width="1" height="10" />
    </svg>
  );
}
