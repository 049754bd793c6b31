import type { Host } from "../../api/contract.ts";
import type { Finding } from "../../api/shapes.ts";
import { now } from "../../browser/clock.ts";
import { makePath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { Badge, type Tone } from "../badge.tsx";
import { Time } from "../time.tsx";
import { WithCommands } from "../with-commands.tsx";

const looks: Readonly<Record<Host["state"], { readonly tone: Tone; readonly dot: string; readonly title: string }>> = {
  watching: { tone: "good", dot: "bg-good", title: "Its hooks are in place, and an event came within a week" },
  "installed, never heard": {
    tone: "warn",
    dot: "border border-warn",
    title: "Its hooks are in place, but no event has come",
  },
  silent: { tone: "warn", dot: "bg-warn", title: "Its hooks are in place, but no event came for more than a week" },
  "not installed": {
    tone: "brass",
    dot: "border border-brass",
    title: "It is on this machine, without oldhand's hooks",
  },
  "no hooks": {
    tone: "quiet",
    dot: "border border-edge",
    title: "It has no hooks: nothing is observed while it works",
  },
  "not here": { tone: "quiet", dot: "border border-edge", title: "It was not found on this machine" },
};

const BEATS = 120_000;

/** One host: its heartbeat, its state, and what to do about problems. */
export function HostEntry({ host }: { readonly host: Host }) {
  const look = looks[host.state];
  const beats = host.lastAt !== null && now.value - Date.parse(host.lastAt) < BEATS;
  const open = host.findings.filter(({ level }) => level !== "ok");
  return (
    <li class="grid grid-cols-[0.5rem_minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-1 py-3">
      <span class={`size-2 rounded-full ${look.dot} ${beats ? "motion-safe:animate-pulse" : ""}`} aria-hidden="true" />
      <div class="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 class={host.state === "not here" ? "font-normal text-soft" : ""}>{host.title}</h2>
        <Badge tone={look.tone} title={look.title}>
          {host.state}
        </Badge>
        {!host.verified && (
          <Badge title="Built from its documentation; not yet tried with the real product">unverified</Badge>
        )}
        <span class="text-sm text-faint" title="How it is connected to oldhand">
          {formatWays(host)}
        </span>
      </div>
      <p class="text-right text-sm text-soft">
        {host.events > 0 ? (
          <>
            <a href={makePath("/sessions", { host: host.host })} class="max-sm:hidden">
              {formatMany(host.events, "event")}
            </a>
            <span class="max-sm:hidden">, last </span>
            <Time at={host.lastAt} />
          </>
        ) : (
          <span class="text-faint">no events yet</span>
        )}
      </p>
      {host.state === "not installed" && !open.some(({ hint }) => hint?.includes("oldhand install")) && (
        <p class="col-span-2 col-start-2 text-sm text-soft">
          <WithCommands text={`\`oldhand install ${host.host}\` connects it.`} />
        </p>
      )}
      {open.length > 0 && (
        <ul class="col-span-2 col-start-2 flex flex-col gap-1">
          {open.map((finding) => (
            <FindingItem key={finding.what} finding={finding} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The channels in use; for a host that is not on this machine, the possible ones. */
function formatWays({ found, ways }: Host): string {
  return ways
    .filter(({ wired }) => !found || wired !== false)
    .map(({ way }) => way)
    .join(" · ");
}

function FindingItem({ finding }: { readonly finding: Finding }) {
  return (
    <li class={`border-l-2 pl-3 text-sm ${finding.level === "problem" ? "border-fail" : "border-edge"}`}>
      <p class="break-words">
        <WithCommands text={finding.what} />
      </p>
      {finding.hint !== null && <p class="break-words text-soft">{renderHint(finding.hint)}</p>}
    </li>
  );
}

/** Formats a hint as code if it is a command. */
function renderHint(hint: string) {
  if (!/^(oldhand|npm) /.test(hint)) return <WithCommands text={hint} />;
  return <code class="rounded-[3px] bg-sunken px-1 text-ink">{hint}</code>;
}
