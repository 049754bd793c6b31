import type { SessionEvent } from "../../api/contract.ts";

const LONG = 600;

/** A prompt or a correction: the headings of a session. */
export function UserTextRow({ event }: { readonly event: SessionEvent }) {
  const text = event.text ?? event.summary;
  const correction = event.kind === "correction";
  return (
    <div class={`my-1.5 min-w-0 border-l-2 py-1 pl-3 ${correction ? "border-warn" : "border-link"}`}>
      <p class={`text-xs font-medium ${correction ? "text-warn" : "text-link"}`}>
        {correction ? "Correction" : "Prompt"}
      </p>
      {text.length > LONG ? <Long text={text} /> : <Words text={text} />}
    </div>
  );
}

function Long({ text }: { readonly text: string }) {
  return (
    <details class="group">
      <summary>
        <span class="group-open:hidden">
          <Words text={`${text.slice(0, LONG)}…`} />
        </span>
        <span class="text-xs text-link group-open:hidden">Show all</span>
        <span class="hidden text-xs text-link group-open:inline">Show less</span>
      </summary>
      <Words text={text} />
    </details>
  );
}

function Words({ text }: { readonly text: string }) {
  return <p class="max-w-[80ch] break-words whitespace-pre-wrap">{text}</p>;
}
