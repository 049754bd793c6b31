import { type LiveState, liveState } from "../../api/live.ts";

const looks: Readonly<Record<LiveState, { readonly text: string; readonly dot: string }>> = {
  connecting: { text: "Connecting…", dot: "border border-faint" },
  live: { text: "Live", dot: "bg-good" },
  reconnecting: { text: "Reconnecting…", dot: "bg-warn motion-safe:animate-pulse" },
};

export function LiveIndicator() {
  const look = looks[liveState.value];
  return (
    <span role="status" aria-live="polite" class="inline-flex items-center gap-2 text-xs text-faint">
      <span class={`size-2 rounded-full ${look.dot}`} aria-hidden="true" />
      {look.text}
    </span>
  );
}
