/** A text that grows piece by piece and is shown without secrets: as a whole, and not more often than people can read. */
export interface StreamedText {
  add(piece: string): void;
  /** Shows all of it and begins a new text. */
  end(): Promise<void>;
  /** Forgets the text. */
  drop(): void;
}

export interface StreamedTextOptions {
  redact(text: string): Promise<string>;
  show(text: string): void;
  /** The time between two shown states. */
  readonly everyMs?: number;
}

export function newStreamedText({ redact, show, everyMs = 40 }: StreamedTextOptions): StreamedText {
  let text = "";
  let shown = "";
  let timer: NodeJS.Timeout | null = null;
  let working: Promise<void> = Promise.resolve();
  const flush = (upTo: string, of: string): void => {
    working = working.then(async () => {
      const clean = await redact(upTo);
      // Meanwhile it may have been dropped.
      if (clean === shown || (of !== "" && !text.startsWith(of))) return;
      shown = clean;
      show(clean);
    });
  };
  const stopTimer = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  return {
    add: (piece) => {
      text += piece;
      // A long text takes longer to check, so it is checked less often.
      timer ??= setTimeout(
        () => {
          timer = null;
          const whole = completePart(text);
          if (whole !== "") flush(whole, whole);
        },
        everyMs + text.length / 200,
      );
    },
    end: async () => {
      stopTimer();
      if (text !== "") flush(text, text);
      await working;
      text = "";
      shown = "";
    },
    drop: () => {
      stopTimer();
      text = "";
      shown = "";
    },
  };
}

/** Without the last word if it may go on: a secret is recognised when it is complete. */
function completePart(text: string): string {
  const end = text.search(/\S+$/);
  return end < 0 || text.length - end > LONGEST_WORD ? text : text.slice(0, end);
}

const LONGEST_WORD = 2_000;
