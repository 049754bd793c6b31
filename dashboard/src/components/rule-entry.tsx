import { useEffect, useRef } from "preact/hooks";
import type { Rule } from "../api/contract.ts";
import { pathWith } from "../browser/route.ts";
import { many, percent } from "../text/count.ts";
import { inWords, isRecord } from "../text/difference.ts";
import { Badge } from "./badge.tsx";
import { Chevron } from "./chevron.tsx";
import { levelTone } from "./level-tone.ts";
import { Time } from "./time.tsx";
import { Value } from "./value.tsx";

export function RuleEntry({ rule, asked }: { readonly rule: Rule; readonly asked: boolean }) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!asked) return;
    const timer = setTimeout(() => item.current?.scrollIntoView({ block: "center" }), 60);
    return () => clearTimeout(timer);
  }, [asked]);
  return (
    <li ref={item} class={`py-3 ${asked ? "-mx-3 bg-mark px-3" : ""}`}>
      <div class="flex items-baseline justify-between gap-4 max-sm:flex-col max-sm:gap-1">
        <p class="max-w-[75ch] min-w-0 break-words">{rule.text}</p>
        <p class="flex shrink-0 gap-1.5">
          <Badge>{rule.status}</Badge>
          <Badge tone={levelTone(rule.level)}>{rule.level}</Badge>
        </p>
      </div>
      <p class="mt-1 flex flex-wrap gap-x-4 text-xs text-faint">
        <span>from {rule.origin}</span>
        <span>{scopeOf(rule.scope)}</span>
        <span>confidence {percent(rule.confidence)}</span>
        <span>
          {many(rule.evidence.observations, "observation")} in {many(rule.evidence.sessions, "session")}
        </span>
        <span>
          last <Time at={rule.evidence.last} />
        </span>
        {rule.signature !== null && <a href={pathWith("/failures", { signature: rule.signature })}>the mistake</a>}
      </p>
      {rule.matcher !== null && rule.matcher !== undefined && (
        <details class="group mt-1">
          <summary class="inline-flex items-center gap-1.5 text-xs text-faint hover:text-ink">
            <Chevron /> Matcher
          </summary>
          <div class="mt-1.5 bg-sunken px-3 py-2">
            <Value value={rule.matcher} />
          </div>
        </details>
      )}
    </li>
  );
}

/** {kind: "workspace", workspace: "/src/app"} reads "workspace /src/app". */
function scopeOf(scope: unknown): string {
  return isRecord(scope) ? Object.values(scope).map(inWords).join(" ") : inWords(scope);
}
