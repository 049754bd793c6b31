import { useState } from "preact/hooks";
import { Badge } from "../badge.tsx";

/** The number of lines shown before a longer file is expanded. */
const FOLDED = 24;

type Range = { readonly from: number; readonly to: number };

/** The lines of an identity file. Sections that only the owner changes have a brass line at the left. */
export function IdentityText({ text, guarded }: { readonly text: string; readonly guarded: readonly Range[] }) {
  const lines = text.replace(/\n$/, "").split("\n");
  const comments = commentLines(lines);
  const [whole, setWhole] = useState(lines.length <= FOLDED);
  return (
    <div class="bg-sunken py-2 text-sm">
      {stretches(whole ? lines.length : FOLDED, guarded).map(({ from, to, isGuarded }) => (
        <div
          key={from}
          role={isGuarded ? "group" : undefined}
          aria-label={isGuarded ? "Protected" : undefined}
          class={`relative border-l-2 px-3 ${isGuarded ? "border-brass" : "border-transparent"}`}
        >
          {isGuarded && (
            <span class="float-right ml-3">
              <Badge tone="brass" title="Only you can change it">
                protected
              </Badge>
            </span>
          )}
          {lines.slice(from, to).map((line, index) => (
            <Line key={index} line={line} isComment={comments.has(from + index)} />
          ))}
        </div>
      ))}
      {lines.length > FOLDED && (
        <button type="button" class="mt-1 px-3.5 text-link hover:underline" onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${lines.length} lines`}
        </button>
      )}
    </div>
  );
}

function Line({ line, isComment }: { readonly line: string; readonly isComment: boolean }) {
  const isHeading = !isComment && /^ {0,3}#{1,6}\s/.test(line);
  const look = isHeading ? "font-semibold" : isComment ? "text-faint" : "";
  // The badge already shows that the section is protected.
  const shown = isHeading ? line.replace(/\s*<!--\s*protected\s*-->/, "") : line;
  return <p class={`min-h-[1lh] [overflow-wrap:anywhere] whitespace-pre-wrap ${look}`}>{shown}</p>;
}

/** Indexes of lines in HTML comments; agents are not shown them. */
function commentLines(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  let within = false;
  lines.forEach((line, at) => {
    if (within || /^\s*<!--/.test(line)) found.add(at);
    const [opened, closed] = [line.lastIndexOf("<!--"), line.lastIndexOf("-->")];
    if (opened !== closed) within = opened > closed;
  });
  return found;
}

/** Splits the lines into protected and free ranges. Protected ranges may be nested. */
function stretches(count: number, guarded: readonly Range[]) {
  const isGuardedAt = (at: number) => guarded.some(({ from, to }) => at >= from && at < to);
  const found: { from: number; to: number; isGuarded: boolean }[] = [];
  for (let at = 0; at < count; at++) {
    const last = found.at(-1);
    const startsOne = guarded.some(({ from }) => from === at) && !(last?.isGuarded && isNested(at, guarded));
    if (last === undefined || last.isGuarded !== isGuardedAt(at) || startsOne)
      found.push({ from: at, to: at + 1, isGuarded: isGuardedAt(at) });
    else last.to = at + 1;
  }
  return found;
}

function isNested(at: number, guarded: readonly Range[]): boolean {
  return guarded.some(({ from, to }) => from < at && at < to);
}
