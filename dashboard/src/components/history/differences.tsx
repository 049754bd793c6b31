import { formatAbsolute } from "../../text/ago.ts";
import { type Difference, listDifferencesBetween, formatValue } from "../../text/difference.ts";

type Props = { readonly before: unknown; readonly after: unknown };

/** The fields that differ between two states, before and after. */
export function Differences({ before, after }: Props) {
  const found = listDifferencesBetween(before, after);
  if (found.length === 0) return <p class="text-xs text-faint">No field differs.</p>;
  return (
    <dl class="grid gap-x-4 gap-y-1.5 sm:grid-cols-[minmax(5rem,max-content)_minmax(0,1fr)]">
      {found.map((difference) => (
        <div key={difference.path} class="contents">
          <dt class="pt-px font-mono text-xs text-faint">{difference.path || "value"}</dt>
          <dd class="min-w-0 text-xs">
            <Sides difference={difference} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Sides({ difference }: { readonly difference: Difference }) {
  return (
    <>
      {difference.kind !== "added" && (
        <del class="block no-underline">
          <Line sign="−" tone="text-fail" text={formatField(difference.path, difference.before)} />
        </del>
      )}
      {difference.kind !== "removed" && (
        <ins class="block no-underline">
          <Line sign="+" tone="text-good" text={formatField(difference.path, difference.after)} />
        </ins>
      )}
    </>
  );
}

/** Times are stored in milliseconds. */
function formatField(path: string, value: unknown): string {
  return path.endsWith("At") && typeof value === "number" ? formatAbsolute(value) : formatValue(value);
}

function Line({ sign, tone, text }: { readonly sign: string; readonly tone: string; readonly text: string }) {
  return (
    <span class={`grid grid-cols-[1rem_minmax(0,1fr)] ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      <pre class="text-xs">{text}</pre>
    </span>
  );
}
