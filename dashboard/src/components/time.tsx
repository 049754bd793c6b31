import { now } from "../browser/clock.ts";
import { formatAbsolute, formatAgo, formatTimeOfDay } from "../text/ago.ts";

type Props = { readonly at: string | null; readonly clock?: boolean; readonly never?: string };

/** A relative time with the full date on hover; `clock` shows the time of day instead. */
export function Time({ at, clock = false, never = "never" }: Props) {
  const ms = at === null ? Number.NaN : Date.parse(at);
  if (at === null || Number.isNaN(ms)) return <span class="text-faint">{never}</span>;
  return (
    <time dateTime={at} title={formatAbsolute(ms)} class="whitespace-nowrap">
      {clock ? <Clock text={formatTimeOfDay(ms)} /> : formatAgo(ms, now.value)}
    </time>
  );
}

function Clock({ text }: { readonly text: string }) {
  return (
    <>
      {text.slice(0, 5)}
      <span class="max-sm:hidden">{text.slice(5)}</span>
    </>
  );
}
