import { useMemo } from "preact/hooks";
import type { PastState } from "../../api/shapes.ts";
import { useQueryOnce } from "../../api/use-query-once.ts";
import { formatMany } from "../../text/count.ts";
import { nameNoun, nameState } from "../../text/describe-change.ts";
import { Badge, type Tone } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { Differences } from "./differences.tsx";
import { Empty } from "../frame/empty.tsx";
import { Loaded } from "../frame/loaded.tsx";
import { PageSection } from "../frame/page-section.tsx";
import { WithCommands } from "../with-commands.tsx";

/** Compares the mind at a past time with the mind now. */
export function TimeTravel({ time }: { readonly time: string }) {
  const today = useMemo(() => new Date().toISOString(), [time]);
  const then = useQueryOnce("at", { time });
  const now = useQueryOnce("at", { time: today });
  return (
    <PageSection title="What changed since then">
      <Loaded resource={then} rows={4}>
        {(was) => (
          <Loaded resource={now} rows={4}>
            {(is) => <Against was={was.state} is={is.state} />}
          </Loaded>
        )}
      </Loaded>
    </PageSection>
  );
}

type Sides = { readonly was: readonly PastState[]; readonly is: readonly PastState[] };

function Against({ was, is }: Sides) {
  const found = listDifferences(was, is);
  return (
    <>
      <p class="mb-2 text-sm text-soft">Known then: {formatInventory(was)}.</p>
      {found.length === 0 ? (
        <Empty title="Nothing is different now" text="Everything is as it was then." />
      ) : (
        <ul aria-label="What is different now" class="divide-y divide-line border-y border-line">
          {found.map((one) => (
            <li key={one.key}>
              <details class="group">
                <summary class="flex items-baseline gap-x-3 py-2 hover:bg-ink/4">
                  <Chevron />
                  <Badge tone={tones[one.kind]}>{one.kind}</Badge>
                  <span class="min-w-0 [overflow-wrap:anywhere]">
                    <Badge>{nameNoun(one.noun)}</Badge>{" "}
                    <WithCommands text={nameState(one.noun, one.after ?? one.before) ?? ""} />{" "}
                    <code class="text-xs break-all text-faint">{one.id}</code>
                  </span>
                </summary>
                <div class="mb-2 ml-5.5 bg-sunken px-3 py-2">
                  <Differences before={one.before} after={one.after} />
                </div>
              </details>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const tones = { new: "good", gone: "fail", changed: "brass" } as const satisfies Record<string, Tone>;

type Differing = {
  readonly key: string;
  readonly noun: string;
  readonly id: string;
  readonly kind: keyof typeof tones;
  readonly before: unknown;
  readonly after: unknown;
};

function listDifferences(was: readonly PastState[], is: readonly PastState[]): readonly Differing[] {
  const [before, after] = [indexByKey(was), indexByKey(is)];
  return [...new Map([...before, ...after])].flatMap(([key, { noun, id }]): Differing[] => {
    const [old, fresh] = [before.get(key)?.state, after.get(key)?.state];
    if (JSON.stringify(old) === JSON.stringify(fresh)) return [];
    const kind = old === undefined ? "new" : fresh === undefined ? "gone" : "changed";
    return [{ key, noun, id, kind, before: old, after: fresh }];
  });
}

function indexByKey(state: readonly PastState[]): ReadonlyMap<string, PastState> {
  return new Map(state.map((one) => [`${one.noun} ${one.id}`, one]));
}

/** Returns for example "3 rules, 1 memory". */
function formatInventory(state: readonly PastState[]): string {
  const counts = new Map<string, number>();
  for (const { noun } of state) counts.set(noun, (counts.get(noun) ?? 0) + 1);
  if (counts.size === 0) return "nothing";
  return [...counts]
    .map(([noun, n]) => {
      const name = nameNoun(noun);
      return formatMany(n, name, name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`);
    })
    .join(", ");
}
