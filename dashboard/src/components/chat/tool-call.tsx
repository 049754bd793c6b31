import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { dropToolName } from "../../text/drop-tool-name.ts";
import { formatDuration } from "../../text/money.ts";
import { showControls } from "../../text/show-controls.ts";
import { Badge, type Tone } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { DiffLines } from "../history/diff-lines.tsx";
import { JsonValue, TextBlock } from "../json-value.tsx";
import type { EntryOf } from "./chat-items.ts";

type Call = EntryOf<"assistant">["calls"][number];

type Props = {
  readonly call: Call;
  /** Absent while the call runs, or waits for an answer. */
  readonly result: EntryOf<"tool"> | undefined;
  /** The output so far of a call that runs. */
  readonly output?: string | undefined;
  readonly isRunning: boolean;
  readonly onWhole: (seq: number) => void;
};

/** A tool call in one line, which opens; a diff is shown at once. */
export function ToolCall({ call, result, output, isRunning, onWhole }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const badge = result === undefined ? (isRunning ? running : null) : describeResult(result);
  return (
    <div class="min-w-0 rounded border border-line">
      <details class="group" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary class="flex items-baseline gap-2 px-2.5 py-1.5 text-sm hover:bg-sunken">
          <Chevron />
          <span class="shrink-0 text-soft">{showControls(call.name)}</span>
          <code class="min-w-0 flex-1 truncate group-open:whitespace-pre-wrap group-open:[overflow-wrap:anywhere]">
            {showControls(dropToolName(call.summary, call.name))}
          </code>
          {badge !== null && <Badge tone={badge.tone}>{badge.text}</Badge>}
        </summary>
        {isOpen && (
          <div class="flex flex-col gap-3 border-t border-line px-3 py-2.5">
            <Part name="Input">
              <JsonValue value={call.input} />
            </Part>
            {result !== undefined && result.text !== "" && (
              <Part name="Result, as the model got it">
                <TextBlock text={result.text} tone={result.ok ? "text-ink" : "text-fail"} />
                {result.isCut && (
                  <button type="button" class="press mt-1" onClick={() => onWhole(result.seq)}>
                    Show all of it
                  </button>
                )}
              </Part>
            )}
            {result !== undefined && (
              <p class="text-xs text-soft">
                {result.exitCode !== null && `exit code ${result.exitCode}, `}
                {formatDuration(result.ms)}
              </p>
            )}
          </div>
        )}
      </details>
      {result === undefined && output !== undefined && output !== "" && (
        <div class="border-t border-line px-3 py-2">
          <TextBlock text={output} tone="text-soft" />
        </div>
      )}
      {result !== undefined && (result.closed !== null || result.forPerson !== null) && !result.ok && (
        <p class="border-t border-line px-3 py-1.5 text-sm text-warn">
          {showControls(result.forPerson ?? result.text)}
        </p>
      )}
      {result?.diff != null && result.diff !== "" && (
        <div class="max-h-[28rem] overflow-y-auto border-t border-line" tabIndex={0} role="group" aria-label="Diff">
          <DiffLines diff={result.diff} label={`What ${showControls(call.summary)} changed`} />
        </div>
      )}
    </div>
  );
}

const running = { tone: "brass" as Tone, text: "running" };

function describeResult({ ok, closed, exitCode }: EntryOf<"tool">): { readonly tone: Tone; readonly text: string } {
  if (closed === "refused") return { tone: "warn", text: "not allowed" };
  if (closed === "guardrail") return { tone: "warn", text: "stopped by the guardrail" };
  if (closed === "stopped") return { tone: "quiet", text: "stopped" };
  if (closed === "died") return { tone: "warn", text: "no result" };
  if (ok) return { tone: "good", text: "ok" };
  return { tone: "fail", text: exitCode === null ? "failed" : `failed, exit code ${exitCode}` };
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <p class="mb-0.5 text-xs font-medium text-soft">{name}</p>
      {children}
    </div>
  );
}
