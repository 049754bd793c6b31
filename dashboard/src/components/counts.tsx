import type { Output } from "../api/api-result.ts";
import { formatCount, formatExact } from "../text/count.ts";

type Status = Output<"status">;

const figures = [
  { name: "sessions", href: "/sessions" },
  { name: "events", href: "/sessions" },
  { name: "failures", href: "/failures" },
  { name: "rules", href: "/rules" },
] as const;

export function Counts({ counts }: { readonly counts: Status["counts"] | null }) {
  return (
    <ul class="grid grid-cols-2 border-y border-line sm:grid-cols-4">
      {figures.map(({ name, href }) => (
        <li
          key={name}
          class="border-line max-sm:odd:border-r max-sm:nth-[-n+2]:border-b sm:not-first:border-l sm:not-first:pl-5 max-sm:even:pl-4"
        >
          <a
            href={href}
            class="group block py-3 text-soft hover:no-underline"
            title={counts ? formatExact(counts[name]) : undefined}
          >
            <span class="block text-[1.75rem] leading-tight font-light tracking-tight text-ink">
              {counts ? formatCount(counts[name]) : <span class="text-edge">–</span>}
            </span>
            <span class="underline-offset-3 group-hover:underline">{name}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
