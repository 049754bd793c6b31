import { useMemo } from "preact/hooks";
import type { Known } from "../api/shapes.ts";
import { useAnswer } from "../api/use-answer.ts";
import { count, many } from "../text/count.ts";
import { Badge, type Tone } from "./badge.tsx";
import { Chevron } from "./chevron.tsx";
import { Differences } from "./differences.tsx";
import { Empty } from "./empty.tsx";
import { Loaded } from "./loaded.tsx";
import { Section } from "./section.tsx";

/** The mind as it was at a time, against the mind as it is. */
export function TimeTravel({ time }: { readonly time: string }) {
  const today = useMemo(() => new Date().toISOString(), [time]);
  const then = useAnswer("at", { time });
  const now = useAnswer("at", { time: today });
  return (
    <Section title="As it was, against now">
      <Loaded resource={then} rows={4}>
        {(was) => (
          <Loaded resource={now} rows={4}>
            {(is) => <Against was={was.state} is={is.state} />}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

type Sides = { readonly was: readonly Known[]; readonly is: readonly Known[] };

function Against({ was, is }: Sides) {
  const found = differing(was, is);
  return (
    <>
      <p class="mb-2 text-sm text-soft">Known then: {inventory(was)}.</p>
      {found.length === 0 ? (
        <Empty title="Nothing is different now" text="The mind is what it was then." />
      ) : (
        <ul aria-label="What is different now" class="divide-y divide-line border-y border-line">
          {found.map((one) => (
            <li key={one.key}>
              <details class="group">
                <summary class="flex flex-wrap items-baseline gap-x-3 py-2 hover:bg-ink/4">
                  <Chevron />
                  <Badge tone={tones[one.kind]}>{one.kind}</Badge>
                  <span>
                    {one.noun} <code class="break-all">{one.id}</code>
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

function differing(was: readonly Known[], is: readonly Known[]): readonly Differing[] {
  const [before, after] = [byKey(was), byKey(is)];
  return [...new Map([...before, ...after])].flatMap(([key, { noun, id }]): Differing[] => {
    const [old, fresh] = [before.get(key)?.state, after.get(key)?.state];
    if (JSON.stringify(old) === JSON.stringify(fresh)) return [];
    const kind = old === undefined ? "new" : fresh === undefined ? "gone" : "changed";
    return [{ key, noun, id, kind, before: old, after: fresh }];
  });
}

function byKey(state: readonly Known[]): ReadonlyMap<string, Known> {
  return new Map(state.map((one) => [`${one.noun} ${one.id}`, one]));
}

/** "3 rules, 1 memory". */
function inventory(state: readonly Known[]): string {
  const counts = new Map<string, number>();
  for (const { noun } of state) counts.set(noun, (counts.get(noun) ?? 0) + 1);
  if (counts.size === 0) return "nothing";
  return [...counts]
    .map(([noun, n]) =>
      noun === "memory" ? many(n, "memory", "memories") : `${count(n)} ${n === 1 ? noun : `${noun}s`}`,
    )
    .join(", ");
}
