import type { Output } from "../../api/api-result.ts";
import type { Arm } from "../../api/contract.ts";
import { formatCount, formatMany, formatPercent } from "../../text/count.ts";
import { computeRatioPosition } from "../../text/ratio.ts";
import { Time } from "../time.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

type EffectReport = Output<"rules/effect">;

/** Attempts per opportunity before the rule and with it, and the confidence in the difference. */
export function EffectChart({ effect }: { readonly effect: EffectReport }) {
  const arms = [
    { name: "before", arm: effect.before, fill: "fill-faint" },
    { name: "with it", arm: effect.after, fill: "fill-link" },
    ...(effect.heldOut.opportunities > 0 ? [{ name: "control", arm: effect.heldOut, fill: "fill-brass" }] : []),
  ];
  const most = Math.max(0.01, ...arms.map(({ arm }) => computeRate(arm)));
  return (
    <div class="border-y border-line py-3">
      <p class="flex flex-wrap items-baseline gap-x-3 text-sm">
        <VerdictBadge effect={effect} />
        <span class="text-soft">{effect.reason}</span>
      </p>
      <p class="text-xs text-faint">
        shown since <Time at={effect.since} />
        {effect.byFamily && ", judged by the sessions of all rules of its kind; the numbers below are its own"}
      </p>
      <table class="mt-3 w-full text-sm">
        <caption class="pb-1 text-left text-xs text-faint">
          Mistakes per chance. A chance is a call in which the mistake could be made; a call that worked is no mistake
        </caption>
        <tbody>
          {arms.map(({ name, arm, fill }) => (
            <tr key={name}>
              <th scope="row" class="w-20 py-1 pr-3 text-left font-normal text-soft">
                {name}
              </th>
              <td class="py-1">
                <svg class="block h-3 w-full" aria-hidden="true">
                  <rect class="fill-line" y="5" width="100%" height="2" />
                  <rect class={fill} width={`${(computeRate(arm) / most) * 100}%`} height="12" rx="2" />
                </svg>
              </td>
              <td class="w-40 py-1 pl-3 text-right whitespace-nowrap max-sm:w-32">
                {arm.opportunities === 0 ? "–" : formatPercent(computeRate(arm))}{" "}
                <span class="text-xs text-faint" title={formatMany(arm.opportunities, "chance")}>
                  {formatCount(arm.attempts)} of {formatCount(arm.opportunities)}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {effect.ratio !== null && effect.interval !== null && (
        <RatioLine ratio={effect.ratio} low={effect.interval[0]} high={effect.interval[1]} />
      )}
    </div>
  );
}

type RatioProps = { readonly ratio: number; readonly low: number; readonly high: number };

const ticks = [
  [0.25, "¼"],
  [0.5, "½"],
  [1, "as often"],
  [2, "2×"],
  [4, "4×"],
] as const;

/** The ratio with its interval, on a line whose middle means "no difference". */
function RatioLine({ ratio, low, high }: RatioProps) {
  const label = `With the rule, such calls are ${ratio.toFixed(2)} times as frequent as without it (95 % confidence: ${low.toFixed(2)} to ${high.toFixed(2)})`;
  const at = (value: number) => `${computeRatioPosition(value) * 100}%`;
  return (
    <figure class="mt-3">
      <svg class="block h-10 w-full" role="img" aria-label={label}>
        <rect class="fill-good/10" width="50%" height="22" />
        <rect class="fill-fail/10" x="50%" width="50%" height="22" />
        {ticks.map(([value, name]) => (
          <g key={name}>
            <line class="stroke-edge" x1={at(value)} x2={at(value)} y1="0" y2="22" />
            <text class="fill-faint text-xs" x={at(value)} y="37" text-anchor="middle">
              {name}
            </text>
          </g>
        ))}
        <line class="stroke-ink" stroke-width="2" x1={at(low)} x2={at(high)} y1="11" y2="11" />
        <circle class="fill-ink" cx={at(ratio)} cy="11" r="5" />
      </svg>
      <figcaption class="text-xs text-faint">{label}</figcaption>
    </figure>
  );
}

function computeRate({ attempts, opportunities }: Arm): number {
  return opportunities === 0 ? 0 : attempts / opportunities;
}
