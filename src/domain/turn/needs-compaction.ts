/** How much of the model's window a request takes. */
export interface ContextFill {
  /** Of the next request. */
  readonly tokens: number;
  readonly window: number;
  /** Tokens of the answer that must fit too. */
  readonly reserve: number;
  /** The setting `chat.compactAt`: a share of the window. */
  readonly compactAt: number;
}

/** Decided before the call: a request that does not fit any more cannot be summarised by a request that begins with it. */
export function needsCompaction({ tokens, window, reserve, compactAt }: ContextFill): boolean {
  return tokens > Math.min(window * compactAt, window - reserve);
}

/** The call can still be made. */
export function fitsWindow({ tokens, window, reserve }: Omit<ContextFill, "compactAt">): boolean {
  return tokens + reserve <= window;
}
