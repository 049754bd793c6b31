import { Container, type TuiMainScreen } from "@earendil-works/pi-tui";
import { type ChatUpdate, HAS_NO_ANSWER, type ShownPiece } from "../cli/chat/chat-update.ts";
import type { SessionTail } from "./read-tail.ts";
import { type ChatBlock, newAnswerBlock, newPieceBlock, newReasoningBlock, newRunningToolBlock } from "./blocks.ts";

/** The conversation on the screen. */
export interface Transcript {
  readonly view: Container;
  add(piece: ShownPiece): void;
  /** Shows the end of a session before it is open. What is shown when it is open replaces it, if that is something else. */
  showTail(tail: SessionTail): void;
  /** Shows what belongs to the conversation; other updates are ignored. */
  show(update: ChatUpdate): void;
  /** Shows all output of tools, or only its beginning. */
  toggleDetail(): void;
}

export function newTranscript(tui: TuiMainScreen): Transcript {
  const view = new Container();
  const running = new Map<string, ReturnType<typeof newRunningToolBlock>>();
  let answer: ReturnType<typeof newAnswerBlock> | null = null;
  let reasoning: ReturnType<typeof newReasoningBlock> | null = null;
  let isFull = false;

  const append = (block: ChatBlock) => {
    block.setDetail(isFull);
    view.addChild(block);
    dropScrolledBlocks(tui, view);
  };
  let tail: SessionTail | null = null;
  let ofTail: readonly ChatBlock[] = [];
  const addEnd = (pieces: readonly ShownPiece[], isCut: boolean) => {
    if (isCut) add({ kind: "notice", text: EARLIER });
    for (const piece of pieces) add(piece);
  };
  const closeStreams = () => {
    answer = null;
    reasoning = null;
  };
  const dropStreams = () => {
    if (answer !== null) view.removeChild(answer.block);
    if (reasoning !== null) view.removeChild(reasoning.block);
    closeStreams();
  };
  const add = (piece: ShownPiece) => {
    closeStreams();
    if (piece.kind === "tool") {
      const begun = running.get(piece.id);
      running.delete(piece.id);
      if (begun !== undefined) return replaceChild(view, begun.block, withDetail(newPieceBlock(piece), isFull));
    }
    append(newPieceBlock(piece));
  };

  return {
    view,
    add,
    showTail: (next) => {
      const { rows, columns } = tui.terminal;
      const blocks: ChatBlock[] = [];
      // From the end, as many as fill the screen twice: nobody waits for more.
      for (let at = next.shown.length - 1, lines = 0; at >= 0 && lines < 2 * rows; at--) {
        const block = newPieceBlock(next.shown[at] as ShownPiece);
        lines += block.render(columns).length;
        blocks.unshift(block);
      }
      const isCut = next.isCut || blocks.length < next.shown.length;
      tail = next;
      ofTail = isCut ? [newPieceBlock({ kind: "notice", text: EARLIER }), ...blocks] : blocks;
      for (const block of ofTail) append(block);
    },
    show: (update) => {
      switch (update.kind) {
        case "ready":
          if (tail?.session === update.session && tail.last === update.last) return;
          for (const block of ofTail) view.removeChild(block);
          return addEnd(update.shown, update.earlier > 0);
        case "piece":
          return update.isAside === true ? append(newPieceBlock(update.piece)) : add(update.piece);
        case "command":
          return append(newPieceBlock({ kind: "notice", text: `› ${update.text}` }));
        case "answer":
          if (answer === null) append((answer = newAnswerBlock()).block);
          reasoning = null;
          return answer.setText(update.text);
        case "reasoning":
          if (reasoning === null) append((reasoning = newReasoningBlock()).block);
          answer = null;
          return reasoning.setText(update.text);
        case "void":
          return dropStreams();
        case "tool-start": {
          closeStreams();
          const block = newRunningToolBlock(update.summary);
          running.set(update.id, block);
          return append(block.block);
        }
        case "tool-output":
          return running.get(update.id)?.addOutput(update.text);
        case "question-answered":
          return update.text === null ? closeStreams() : add({ kind: "notice", text: update.text });
        case "turn-end":
          if (HAS_NO_ANSWER.has(update.reason)) dropStreams();
          closeStreams();
          return update.text === null ? undefined : add({ kind: "notice", text: update.text });
        default:
          return undefined;
      }
    },
    toggleDetail: () => {
      isFull = !isFull;
      for (const child of view.children) (child as ChatBlock).setDetail(isFull);
    },
  };
}

const EARLIER = "Earlier messages are not shown here. /export writes all of them to a file.";

function withDetail(block: ChatBlock, isFull: boolean): ChatBlock {
  block.setDetail(isFull);
  return block;
}

function replaceChild(view: Container, old: ChatBlock, next: ChatBlock): void {
  const at = view.children.indexOf(old);
  if (at < 0) view.addChild(next);
  else view.children[at] = next;
}

/** How many blocks stay. What scrolled off above them is in the terminal's own scrollback. */
const KEPT_BLOCKS = 150;
const DROPPED_AT_ONCE = 50;

/**
 * Forgets the oldest blocks, so that a session of a day needs no more memory and time than one of an hour. Their lines
 * are no longer on the screen; the library is made to count from the first line that is kept.
 */
function dropScrolledBlocks(tui: TuiMainScreen, view: Container): void {
  if (view.children.length < KEPT_BLOCKS + DROPPED_AT_ONCE) return;
  tui.renderNow();
  const dropped = view.children.slice(0, DROPPED_AT_ONCE);
  const width = tui.terminal.columns;
  const lines = dropped.reduce((sum, block) => sum + block.render(width).length, 0);
  const state = tui.captureRenderState();
  if (lines > state.previousViewportTop) return;
  view.children.splice(0, DROPPED_AT_ONCE);
  tui.restoreRenderState({
    ...state,
    previousLines: state.previousLines.slice(lines),
    cursorRow: state.cursorRow - lines,
    hardwareCursorRow: state.hardwareCursorRow - lines,
    maxLinesRendered: state.maxLinesRendered - lines,
    previousViewportTop: state.previousViewportTop - lines,
  });
}
