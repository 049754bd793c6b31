import type { ModelCap } from "../../api/contract.ts";
import { formatDollars, formatDollarsDown } from "../../text/money.ts";
import { Badge } from "../badge.tsx";
import { WithCommands } from "../with-commands.tsx";

type Props = { readonly caps: readonly ModelCap[]; readonly day: string };

/** The caps, with what is spent and what calls under way have reserved. */
export function CapList({ caps, day }: Props) {
  return (
    <>
      <ul class="divide-y divide-line border-y border-line" aria-label="Caps">
        {caps.map((cap) => (
          <li key={cap.id} class="py-2.5">
            <div class="flex flex-wrap items-baseline justify-between gap-x-4">
              <span class="min-w-0 font-medium [overflow-wrap:anywhere]">
                {cap.kind === "day" ? `Day ${day}` : `${capitalise(cap.kind)} ${cap.name}`}{" "}
                {cap.isDefault && <Badge title="applies because you have set no cap for the day">default</Badge>}
                {cap.left === 0 && <Badge tone="fail">reached</Badge>}
              </span>
              <span class="text-sm text-soft">{describe(cap)}</span>
            </div>
            {cap.limit !== null && <CapBar cap={cap} limit={cap.limit} />}
          </li>
        ))}
      </ul>
      <p class="mt-2 text-sm text-soft">
        <WithCommands text="`oldhand models caps set agent NAME 1` sets a cap; `oldhand models caps extend day 5` raises it by $5." />
      </p>
    </>
  );
}

/** Shows the spent and the reserved part of the limit. Hidden from screen readers, because the numbers are in the text above. */
function CapBar({ cap, limit }: { readonly cap: ModelCap; readonly limit: number }) {
  const percent = (amount: number) => (limit === 0 ? 100 : Math.min(100, (amount / limit) * 100));
  return (
    <svg class="mt-1.5 block h-2 w-full" aria-hidden="true">
      <rect class="fill-line" width="100%" height="8" rx="2" />
      <rect class="fill-brass/60" width={`${percent(cap.spent + cap.reserved)}%`} height="8" rx="2" />
      <rect class="fill-link" width={`${percent(cap.spent)}%`} height="8" rx="2" />
    </svg>
  );
}

function describe({ limit, spent, reserved, lost, left }: ModelCap): string {
  return [
    `${formatDollars(spent)} spent`,
    `${formatDollars(reserved)} reserved`,
    ...(lost > 0 ? [`up to ${formatDollars(lost)} lost`] : []),
    limit === null ? "no limit" : `${formatDollarsDown(left ?? 0)} left of ${formatDollars(limit)}`,
  ].join(", ");
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
