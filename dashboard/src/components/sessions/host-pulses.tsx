import type { HostPulse } from "../../api/shapes.ts";
import { now } from "../../browser/clock.ts";
import { makePath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { Time } from "../time.tsx";

const HOUR = 3_600_000;

/** Which hosts still reach oldhand: a host whose hooks went quiet is otherwise easy to miss. */
export function HostPulses({ hosts }: { readonly hosts: readonly HostPulse[] }) {
  return (
    <ul class="divide-y divide-line border-y border-line">
      {hosts.map((host) => (
        <li key={host.host} class="flex items-baseline gap-2.5 py-2">
          <span class={`size-2 shrink-0 rounded-full ${dotOf(host, now.value)}`} aria-hidden="true" />
          <span class="min-w-0 flex-1">
            <a href={makePath("/sessions", { host: host.host })} class="block truncate">
              {host.host}
            </a>
            <span class="text-xs text-faint">{formatMany(host.events, "event")}</span>
          </span>
          <span class="text-soft">
            <Time at={host.lastFiredAt} never="never fired" />
          </span>
        </li>
      ))}
    </ul>
  );
}

function dotOf(host: HostPulse, now: number): string {
  if (host.lastFiredAt === null) return "border border-faint";
  return now - Date.parse(host.lastFiredAt) < HOUR ? "bg-good" : "bg-edge";
}
