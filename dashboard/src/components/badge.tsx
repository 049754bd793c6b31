import type { ComponentChildren } from "preact";

export type Tone = "quiet" | "good" | "fail" | "warn" | "brass";

const tones: Readonly<Record<Tone, string>> = {
  quiet: "text-faint border-line",
  good: "text-good border-good/35",
  fail: "text-fail border-fail/40 bg-fail-wash",
  warn: "text-warn border-warn/40",
  brass: "text-brass border-brass/45",
};

type Props = {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ComponentChildren;
};

export function Badge({ tone = "quiet", title, children }: Props) {
  return (
    <span
      title={title}
      class={`inline-block rounded-[3px] border px-1.5 text-xs -my-px leading-[1.35] whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  );
}
