import { showControls } from "../../text/show-controls.ts";
import { type DiffLine, parseDiffLines } from "../../text/unified-diff.ts";

/** A unified diff. Added and removed lines are marked by sign, by colour and for screen readers. */
export function DiffLines({ diff, label }: { readonly diff: string; readonly label: string }) {
  return (
    <div role="group" aria-label={label} class="overflow-hidden bg-sunken py-1 font-mono text-xs leading-relaxed">
      {parseDiffLines(diff).map((line, index) => (
        <Line key={index} line={line} isFirst={index === 0} />
      ))}
    </div>
  );
}

function Line({ line: { kind, text }, isFirst }: { readonly line: DiffLine; readonly isFirst: boolean }) {
  if (kind === "gap") return <p class={`px-3 text-faint ${isFirst ? "" : "mt-1 border-t border-line pt-1"}`}>{text}</p>;
  if (kind === "added") return <Marked as="ins" sign="+" look="bg-good/10 text-good" text={text} />;
  if (kind === "removed") return <Marked as="del" sign="−" look="bg-fail-wash text-fail" text={text} />;
  return <Marked as="div" sign="" look="text-soft" text={text} />;
}

type Props = {
  readonly as: "ins" | "del" | "div";
  readonly sign: string;
  readonly look: string;
  readonly text: string;
};

function Marked({ as: Tag, sign, look, text }: Props) {
  return (
    <Tag class={`grid grid-cols-[1.25rem_minmax(0,1fr)] px-3 no-underline ${look}`}>
      <span aria-hidden="true" class="select-none">
        {sign}
      </span>
      <span class="min-h-[1lh] [overflow-wrap:anywhere] whitespace-pre-wrap">{showControls(text)}</span>
    </Tag>
  );
}
