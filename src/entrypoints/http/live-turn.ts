import { formatRestart } from "../../domain/model/describe-restart.ts";
import type { ShownEvent } from "../../converse/session/shown-events.ts";

/** What runs in a session now and is in no entry yet. */
export interface LiveTurn {
  readonly work: "turn" | "compaction";
  /** What the model has written since entry `since`. An answer with a higher number contains it. */
  readonly text: string;
  readonly reasoning: string;
  readonly since: number;
  /** The calls that run now. */
  readonly tools: readonly LiveTool[];
  /** The provider is called again at that time. */
  readonly wait: { readonly provider: string; readonly why: string; readonly until: number } | null;
  readonly notices: readonly string[];
}

export interface LiveTool {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  /** The end of its output. */
  readonly output: string;
}

export function newLiveTurn(work: LiveTurn["work"]): LiveTurn {
  return { work, text: "", reasoning: "", since: 0, tools: [], wait: null, notices: [] };
}

/** The state after an event. `entries`: how many entries the session has. */
export function addTurnEvent(
  before: LiveTurn,
  event: ShownEvent,
  { entries, now }: { readonly entries: number; readonly now: number },
): LiveTurn {
  const live: LiveTurn = event.kind === "notice" ? before : { ...before, wait: null };
  const { text, reasoning, tools, notices } = live;
  const since = text === "" && reasoning === "" ? entries : live.since;
  switch (event.kind) {
    case "answer":
      return { ...live, since, text: event.text };
    case "reasoning":
      return { ...live, since, reasoning: event.text };
    case "wait":
      return { ...live, wait: { provider: event.provider, why: event.why, until: now + event.ms } };
    case "restart":
      return { ...live, text: "", reasoning: "", notices: addNotice(notices, `${formatRestart(event)}.`) };
    case "usage":
    case "turn-end":
      // The answer is stored now, or void.
      return { ...live, text: "", reasoning: "" };
    case "tool-start":
      return { ...live, tools: [...tools, { id: event.id, name: event.name, summary: event.summary, output: "" }] };
    case "tool-output":
      return {
        ...live,
        tools: tools.map((tool) =>
          tool.id === event.id ? { ...tool, output: (tool.output + event.text).slice(-LONGEST_OUTPUT) } : tool,
        ),
      };
    case "tool-end":
      return { ...live, tools: tools.filter(({ id }) => id !== event.id) };
    case "notice":
      return { ...live, notices: addNotice(notices, event.text) };
    case "compacted":
      return {
        ...live,
        notices: addNotice(notices, `Compacted: from ${event.tokensBefore} to ${event.tokensAfter} tokens.`),
      };
    default:
      return live;
  }
}

const LONGEST_OUTPUT = 8_000;
const MOST_NOTICES = 10;

function addNotice(notices: readonly string[], text: string): readonly string[] {
  return [...notices, text].slice(-MOST_NOTICES);
}
