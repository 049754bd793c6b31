import { type Component, truncateToWidth } from "@earendil-works/pi-tui";
import { toScreenText } from "./screen-text.ts";
import type { ShownPiece } from "../cli/chat/chat-update.ts";
import { formatTaken } from "../cli/chat/waiting-text.ts";
import { newMarkdownView } from "./markdown.ts";
import { styles } from "./theme.ts";
import { isPlainProse, widthOf, wrapLine } from "./wrap-lines.ts";

/** One block of the conversation. It is laid out again only if its text, the width or the detail changes. */
export interface ChatBlock extends Component {
  setDetail(isFull: boolean): void;
}

type Layout = (width: number, isFull: boolean) => readonly string[];

function newBlock(layout: Layout): ChatBlock {
  let isFull = false;
  let kept: { readonly width: number; readonly lines: string[] } | null = null;
  return {
    render: (width) => {
      if (kept?.width !== width) kept = { width, lines: layout(width, isFull).map((line) => fitLine(line, width)) };
      return kept.lines;
    },
    invalidate: () => {
      kept = null;
    },
    setDetail: (wanted) => {
      if (wanted === isFull) return;
      isFull = wanted;
      kept = null;
    },
  };
}

/** The library refuses a line that is wider than the terminal. */
function fitLine(line: string, width: number): string {
  return widthOf(line) > width ? truncateToWidth(line, Math.max(1, width)) : line;
}

function wrap(text: string, width: number, indent = ""): readonly string[] {
  const room = Math.max(1, width - indent.length);
  return text.split("\n").flatMap((line) => wrapLine(line, room).map((one) => indent + one));
}

export function newPieceBlock(piece: ShownPiece): ChatBlock {
  switch (piece.kind) {
    case "user":
      return newUserBlock(piece);
    case "answer":
      return newAnswerBlock(piece.text).block;
    case "notice":
      return newBlock((width) => ["", ...wrap(toScreenText(piece.text), width).map(styles.dim)]);
    case "error":
      return newBlock((width) => ["", ...wrap(toScreenText(piece.text), width).map(styles.red)]);
    case "tool":
      return newToolBlock(piece);
  }
}

function newUserBlock({ text, taken }: Extract<ShownPiece, { kind: "user" }>): ChatBlock {
  const note = taken === undefined ? [] : [`  ${styles.dim(formatTaken(taken))}`];
  return newBlock((width, isFull) => {
    const lines = wrap(toScreenText(text), width - 2).map((line, at) =>
      at === 0 ? `${styles.cyan("›")} ${styles.bold(line)}` : `  ${styles.bold(line)}`,
    );
    return ["", ...(isFull ? lines : capLines(lines, 20)), ...note];
  });
}

/** An answer grows while it is streamed. */
export function newAnswerBlock(given = ""): { readonly block: ChatBlock; setText(text: string): void } {
  let text = toScreenText(given);
  // Links are shown with their address: a text must not hide where it leads.
  const block = newBlock((width) => ["", ...layOutAnswer(text, width)]);
  return {
    block,
    setText: (next) => {
      text = toScreenText(next);
      block.invalidate();
    },
  };
}

function layOutAnswer(text: string, width: number): readonly string[] {
  return (isPlainProse(text) ? null : newMarkdownView(text)?.render(width)) ?? wrap(text.trimEnd(), width);
}

export function newReasoningBlock(): { readonly block: ChatBlock; setText(text: string): void } {
  let text = "";
  const block = newBlock((width, isFull) => {
    const lines = wrap(text, width, "  ").map((line) => styles.dim(styles.italic(line)));
    return ["", ...(isFull ? lines : lines.slice(-REASONING_LINES))];
  });
  return {
    block,
    setText: (next) => {
      text = toScreenText(next).trim();
      block.invalidate();
    },
  };
}

const REASONING_LINES = 6;

/** A call that runs: its summary and the end of its output so far. */
export function newRunningToolBlock(summary: string): { readonly block: ChatBlock; addOutput(text: string): void } {
  let output = "";
  const block = newBlock((width) => {
    const lines = output.trim() === "" ? [] : wrap(toScreenText(output).trimEnd(), width, "  ").slice(-OUTPUT_LINES);
    return ["", ...headLines(styles.yellow("○"), summary, width), ...lines.map(styles.dim)];
  });
  return {
    block,
    addOutput: (text) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS);
      block.invalidate();
    },
  };
}

const OUTPUT_LINES = 5;
const OUTPUT_CHARACTERS = 4_000;
const DIFF_LINES = 40;
const FULL_CHARACTERS = 50_000;

function newToolBlock({ summary, ok, text, diff }: Extract<ShownPiece, { kind: "tool" }>): ChatBlock {
  return newBlock((width, isFull) => {
    const head = headLines(ok ? styles.green("●") : styles.red("●"), summary, width);
    if (diff !== null && diff !== "") {
      const lines = diffLines(diff, width);
      return ["", ...head, ...(isFull ? lines : capLines(lines, DIFF_LINES))];
    }
    const shown = toScreenText(text.slice(0, FULL_CHARACTERS)).trimEnd();
    const lines = shown === "" ? [] : wrap(shown, width, "  ").map(ok ? styles.dim : styles.red);
    return ["", ...head, ...(isFull ? lines : capLines(lines, OUTPUT_LINES))];
  });
}

function headLines(mark: string, summary: string, width: number): readonly string[] {
  return wrap(toScreenText(summary), width - 2).map((line, at) => (at === 0 ? `${mark} ${line}` : `  ${line}`));
}

/** A diff with its colours, indented. */
export function diffLines(diff: string, width: number): readonly string[] {
  return toScreenText(diff)
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrap(line, width, "  ").map(styleOfDiffLine(line)));
}

function styleOfDiffLine(line: string): (text: string) => string {
  if (line.startsWith("+") && !line.startsWith("+++")) return styles.green;
  if (line.startsWith("-") && !line.startsWith("---")) return styles.red;
  return line.startsWith("@@") ? styles.cyan : styles.dim;
}

export function capLines(
  lines: readonly string[],
  max: number,
  style: (text: string) => string = styles.dim,
): readonly string[] {
  const more = lines.length - max;
  if (more <= 1) return lines;
  return [...lines.slice(0, max), style(`  … ${more} more lines: Ctrl-O shows all`)];
}
