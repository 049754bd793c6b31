import type { Letter, LetterItem } from "../../api/contract.ts";
import { formatMany } from "../../text/count.ts";
import { formatDollars } from "../../text/money.ts";
import { Badge, type Tone } from "../badge.tsx";
import { Time } from "../time.tsx";

const sections = [
  { name: "reached", title: "Reached", tone: "good" },
  { name: "verified", title: "Verified by their checks", tone: "good" },
  { name: "claimed", title: "Only claimed", tone: "warn" },
  { name: "failed", title: "Failed", tone: "fail" },
  { name: "asked", title: "Asked of you", tone: "brass" },
  { name: "blocked", title: "Blocked until you do something", tone: "fail" },
  { name: "skipped", title: "Skipped", tone: "quiet" },
] as const;

/** The letter of today: verified and claimed apart, each with the command that acts on it. */
export function LetterText({ letter }: { readonly letter: Letter }) {
  const { isFirst, isEmpty, since, text, cost, learned } = letter;
  return (
    <div class="flex flex-col gap-5">
      <p class="[overflow-wrap:anywhere]">
        {text.split("\n", 1)[0]} <span class="text-soft">{isFirst ? "" : <Time at={since} />}</span>
      </p>
      {!isEmpty &&
        sections.map(({ name, title, tone }) =>
          letter[name].length === 0 ? null : (
            <div key={name}>
              <h2 class="mb-1">{title}</h2>
              <ul aria-label={title} class="divide-y divide-line border-y border-line">
                {letter[name].map((item) => (
                  <ItemRow key={`${item.kind} ${item.id}`} item={item} tone={tone} />
                ))}
              </ul>
            </div>
          ),
        )}
      {cost.models.length > 0 && (
        <div>
          <h2 class="mb-1">Cost</h2>
          <ul aria-label="Cost" class="text-sm">
            {cost.models.map((one) => (
              <li key={`${one.model} ${one.listPrice}`} class="[overflow-wrap:anywhere]">
                {one.model}: {formatMany(one.calls, "call")}, {formatDollars(one.cost)}
                {one.listPrice && " at list price, paid by a subscription"}
              </li>
            ))}
          </ul>
        </div>
      )}
      {learned.length > 0 && (
        <div>
          <h2 class="mb-1">Rules learned</h2>
          <ul aria-label="Rules learned" class="text-sm">
            {learned.map((rule) => (
              <li key={rule.id} class="[overflow-wrap:anywhere]">
                {rule.text}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function ItemRow({ item, tone }: { readonly item: LetterItem; readonly tone: Tone }) {
  const { kind, title, of, why, times, command, at } = item;
  return (
    <li class="py-2">
      <p class="flex flex-wrap items-baseline gap-x-2">
        <span class="[overflow-wrap:anywhere]">{title}</span>
        <Badge tone={tone}>{times > 1 ? `${kind}, ${times} times` : kind}</Badge>
        <span class="text-xs text-soft">
          <Time at={at} />
        </span>
      </p>
      {of !== null && <p class="text-sm [overflow-wrap:anywhere] text-soft">for {of}</p>}
      {why !== null && <p class="text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">{why}</p>}
      {command !== null && <code class="text-xs [overflow-wrap:anywhere] text-soft">{command}</code>}
    </li>
  );
}
