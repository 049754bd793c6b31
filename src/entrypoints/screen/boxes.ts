import { type Component, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { formatAnswerKeys } from "../../domain/approval/describe-cover.ts";
import { showControls } from "../../domain/approval/show-controls.ts";
import { toScreenText } from "./screen-text.ts";
import type { ChatQuestion, ChatStatus, WaitingText } from "../cli/chat/chat-update.ts";
import { formatWaitingText } from "../cli/chat/waiting-text.ts";
import { capLines, diffLines } from "./blocks.ts";
import { styles } from "./theme.ts";

/** A part of the screen that is laid out at each frame: it is short. */
function newBox(layout: (width: number) => readonly string[]): Component {
  return {
    render: (width) =>
      layout(width).map((line) => (visibleWidth(line) > width ? truncateToWidth(line, Math.max(1, width)) : line)),
    invalidate: () => {},
  };
}

/** Messages that wait, and for what. */
export function newWaitingBox(
  parts: () => { readonly messages: readonly WaitingText[]; readonly isRunning: boolean },
): Component {
  return newBox(() => {
    const { messages: all, isRunning } = parts();
    const shown = all
      .slice(0, WAITING_LINES)
      .map((one) => styles.dim(`  ${toScreenText(formatWaitingText(one, isRunning))}`));
    const more = all.length - shown.length;
    return [...(all.length > 0 ? [""] : []), ...shown, ...(more > 0 ? [styles.dim(`  and ${more} more`)] : [])];
  });
}

const WAITING_LINES = 4;

/**
 * The question that waits for a yes: the action, and the keys, together on one screen of `rows` lines. If lines are
 * hidden, it says how many.
 */
export function newQuestionBox(
  asked: () => {
    readonly question: ChatQuestion;
    readonly isFull: boolean;
    readonly rows: number;
    readonly hasText: boolean;
  } | null,
): Component {
  let kept: { readonly question: ChatQuestion; readonly width: number; readonly lines: readonly string[] } | null =
    null;
  /** A detail may have many thousand lines: they are laid out once. */
  const layOutDetail = (question: ChatQuestion, width: number) => {
    if (kept?.question !== question || kept.width !== width) {
      const lines = question.detail === "" ? [] : diffLines(showControls(question.detail), width);
      kept = { question, width, lines };
    }
    return kept.lines;
  };
  return newBox((width) => {
    const now = asked();
    if (now === null) return [];
    const { summary, reason, covers, isOnceOnly } = now.question;
    const lines = layOutDetail(now.question, width);
    const wrapped = (text: string) =>
      showControls(text)
        .split("\n")
        .flatMap((line) => wrapTextWithAnsi(line, width));
    const head = ["", ...wrapped(summary).map((line) => styles.bold(styles.yellow(line)))];
    const foot = [
      ...wrapped(reason).map(styles.dim),
      ...wrapTextWithAnsi(`${formatAnswerKeys(isOnceOnly, key)}${isOnceOnly ? "" : TWICE}`, width),
      ...(now.hasText ? wrapped(HAS_TEXT).map(styles.yellow) : []),
      ...(covers === "" ? [] : wrapped(covers).map(styles.dim)),
    ];
    const room = Math.max(LEAST_DETAIL, Math.min(MOST_DETAIL, now.rows - head.length - foot.length - AROUND));
    const shown = now.isFull ? lines : capLines(lines, room, (text) => styles.bold(styles.yellow(text)));
    const hides = now.isFull && lines.length > room + 1 ? wrapped(HIDES).map(styles.dim) : [];
    return [...head, ...shown, ...hides, ...foot];
  });
}

const MOST_DETAIL = 40;
const LEAST_DETAIL = 3;
/** The input, the status and the line that says how much is hidden. */
const AROUND = 5;
const TWICE = styles.dim("  (s and a: press twice)");
const HAS_TEXT = "The input is not empty, so letters go to your text. Empty it to answer (Ctrl-U).";
const HIDES = "All of it is shown. Scroll up for the beginning. Ctrl-O hides the rest again.";

function key(letter: string): string {
  return styles.bold(`[${letter}]`);
}

export interface StatusParts {
  readonly status: ChatStatus | null;
  /** Seconds since the turn began; null if none runs. */
  readonly seconds: number | null;
  /** Whom the turn waits for, the person or a provider; null if it works. */
  readonly wait: string | null;
  /** Replaces the status for a moment. */
  readonly hint: string | null;
}

/** Mode, model, cost and context used. */
export function newStatusBox(parts: () => StatusParts): Component {
  return newBox((width) => {
    const { status, seconds, wait, hint } = parts();
    if (hint !== null) return wrapTextWithAnsi(hint, width).map(styles.yellow);
    const work = seconds === null ? [] : [`${wait ?? `working ${seconds} s`}, Ctrl-C stops`];
    const all = status === null ? ["starting …"] : [...work, ...formatStatus(status)];
    // In a narrow terminal what matters least goes first. What the turn does, or else the mode, stays.
    const isOver = () => all.length > 1 && visibleWidth(all.join(" · ")) > width;
    while (isOver()) all.splice(all.length > 2 || work.length > 0 ? 1 : 0, 1);
    return [styles.dim(all.join(" · "))];
  });
}

function formatStatus({ mode, model, cost, contextTokens, contextWindow }: ChatStatus): readonly string[] {
  const used = formatCount(contextTokens);
  const share =
    contextWindow === null
      ? `${used} tokens`
      : `${used} of ${formatCount(contextWindow)} (${Math.round((100 * contextTokens) / contextWindow)} %)`;
  return [toScreenText(model ?? "auto"), share, `$${cost.toFixed(cost < 1 ? 4 : 2)}`, mode];
}

function formatCount(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
}
