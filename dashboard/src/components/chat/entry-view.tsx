import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ChatEntry } from "../../api/contract.ts";
import { formatCount, formatMany, formatPercent } from "../../text/count.ts";
import { formatDollars } from "../../text/money.ts";
import { Chevron } from "../chevron.tsx";
import { Time } from "../time.tsx";
import { WithCommands } from "../with-commands.tsx";
import type { ChatItem, EntryOf, TurnSums } from "./chat-items.ts";
import type { LiveTool } from "../../api/chat.ts";
import { Markdown } from "./markdown.tsx";
import { ToolCall } from "./tool-call.tsx";

type Props = {
  readonly item: ChatItem;
  /** The calls that run now. */
  readonly tools: readonly LiveTool[];
  readonly onWhole: (seq: number) => void;
};

/** One entry of a conversation. */
export function EntryView({ item, tools, onWhole }: Props) {
  const { entry, results, sums } = item;
  switch (entry.kind) {
    case "user":
      return <UserMessage entry={entry} />;
    case "assistant":
      return <Answer entry={entry} results={results} tools={tools} onWhole={onWhole} />;
    case "note":
      return <Folded name="oldhand added" text={entry.text} tone="text-brass" entry={entry} onWhole={onWhole} />;
    case "system":
      return (
        <Folded
          name={`System prompt, ${formatMany(entry.tools.length, "tool")}`}
          text={`${entry.text}\n\nTools: ${entry.tools.join(", ")}`}
          tone="text-faint"
          entry={entry}
          onWhole={onWhole}
        />
      );
    case "compaction":
      return (
        <Folded
          name={`Compacted: ${formatCount(entry.tokensBefore)} → ${formatCount(entry.tokensAfter)} tokens. The model now gets this summary of what was before`}
          text={entry.summary}
          tone="text-brass"
          entry={entry}
          onWhole={onWhole}
        />
      );
    case "forgotten":
      return <Line>Forgotten: what was here was removed</Line>;
    case "mode":
      return <Line>Mode: {entry.mode}</Line>;
    case "model":
      return <Line>Model: {entry.model ?? "the router chooses"}</Line>;
    case "undo":
      return (
        <Line>
          Taken back: the turn above
          {entry.files.length === 0 ? "" : ` and its changes of ${entry.files.map(nameOf).join(", ")}`}
        </Line>
      );
    case "turn-end":
      return <TurnEnd entry={entry} sums={sums} />;
    case "tool":
      // A result whose call is not loaded.
      return (
        <ToolCall
          call={{ id: entry.id, name: entry.name, summary: entry.name, input: null }}
          result={entry}
          isRunning={false}
          onWhole={onWhole}
        />
      );
  }
}

function UserMessage({ entry }: { readonly entry: EntryOf<"user"> }) {
  return (
    <div class="border-l-2 border-link bg-raised py-1.5 pr-2 pl-3">
      <p class="flex gap-2 text-xs font-medium text-link">
        You{entry.isTypedMeanwhile && <span class="font-normal text-soft">{describeTaken(entry)}</span>}
        <span class="ml-auto font-normal text-faint">
          <Time at={entry.at} />
        </span>
      </p>
      <p class="[overflow-wrap:anywhere] whitespace-pre-wrap">{entry.text}</p>
    </div>
  );
}

function describeTaken({ isSteered }: EntryOf<"user">): string {
  return isSteered ? "taken by the running turn" : "waited for the turn's end";
}

type AnswerProps = Omit<Props, "item"> & {
  readonly entry: EntryOf<"assistant">;
  readonly results: ChatItem["results"];
};

function Answer({ entry, results, tools, onWhole }: AnswerProps) {
  return (
    <div class="flex min-w-0 flex-col gap-2">
      {entry.reasoning !== "" && <Reasoning text={entry.reasoning} />}
      {entry.text !== "" && <Markdown text={entry.text} />}
      {entry.calls.map((call) => {
        const live = tools.find(({ id }) => id === call.id);
        return (
          <ToolCall
            key={call.id}
            call={call}
            result={results.get(call.id)}
            output={live?.output}
            isRunning={live !== undefined}
            onWhole={onWhole}
          />
        );
      })}
    </div>
  );
}

export function Reasoning({ text }: { readonly text: string }) {
  return (
    <details class="group text-sm text-soft">
      <summary class="inline-flex items-baseline gap-1.5 hover:text-ink">
        <Chevron /> Reasoning
      </summary>
      <p class="mt-1 border-l-2 border-line pl-3 [overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>
    </details>
  );
}

type FoldedProps = {
  readonly name: string;
  readonly text: string;
  readonly tone: string;
  readonly entry: ChatEntry;
  readonly onWhole: (seq: number) => void;
};

/** What oldhand put into the conversation: one line that opens. */
function Folded({ name, text, tone, entry, onWhole }: FoldedProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="group text-sm" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary class={`flex items-baseline gap-2 hover:text-ink ${tone}`}>
        <Chevron />
        <span class="min-w-0 flex-1">
          {name}
          {entry.kind === "note" && <span class="line-clamp-1 text-soft group-open:hidden">{text}</span>}
        </span>
      </summary>
      {isOpen && (
        <div class="mt-1 ml-5 max-h-96 overflow-y-auto bg-sunken px-3 py-2" tabIndex={0} role="group" aria-label={name}>
          <pre class="text-xs">{text}</pre>
          {entry.isCut && (
            <button type="button" class="press mt-2" onClick={() => onWhole(entry.seq)}>
              Show all of it
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Line({ children }: { readonly children: ComponentChildren }) {
  return <p class="text-sm [overflow-wrap:anywhere] text-soft">{children}</p>;
}

const endings: Readonly<Record<EntryOf<"turn-end">["reason"], string | null>> = {
  done: null,
  stopped: "Stopped by you",
  budget: "Out of steps",
  capped: "A cap was reached",
  failed: "No answer",
  handoff: "The context is full",
  died: "The process ended in the middle of this turn",
};

function TurnEnd({
  entry: { reason, message },
  sums,
}: {
  readonly entry: EntryOf<"turn-end">;
  readonly sums: TurnSums | null;
}) {
  const ending = endings[reason];
  return (
    <div class="text-xs text-faint">
      {ending !== null && (
        <p class="mb-1 border-l-2 border-warn pl-3 text-sm [overflow-wrap:anywhere] text-warn">
          {ending}
          {message !== null && reason !== "died" && (
            <>
              . <WithCommands text={message} />
            </>
          )}
        </p>
      )}
      {sums !== null && sums.calls > 0 && <p>{formatSums(sums)}</p>}
    </div>
  );
}

function formatSums({ calls, tokensIn, tokensOut, tokensCached, cost }: TurnSums): string {
  const cached = tokensIn === 0 ? "" : ` (${formatPercent(tokensCached / tokensIn)} cached)`;
  return [
    formatMany(calls, "model call"),
    `${formatCount(tokensIn)} tokens in${cached}`,
    `${formatCount(tokensOut)} out`,
    formatDollars(cost),
  ].join(" · ");
}

function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
