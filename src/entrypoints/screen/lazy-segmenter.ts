/**
 * `Intl.Segmenter` without its price: the first one of a process costs 20 ms, which is a fifth of the time to the first
 * prompt. The terminal library makes two when it loads; the build gives it these instead (`scripts/bundle-cli.mjs`).
 * Only text that needs Unicode's rules makes the real one.
 */
export function newLazySegmenter(granularity: "grapheme" | "word"): Pick<Intl.Segmenter, "segment"> {
  let real: Intl.Segmenter | null = null;
  const makeReal = () => (real ??= new Intl.Segmenter(undefined, { granularity }));
  const segment = (text: string) =>
    granularity === "grapheme" && SIMPLE.test(text) ? segmentSimple(text) : makeReal().segment(text);
  // The library only iterates over the segments of graphemes.
  return { segment: segment as Intl.Segmenter["segment"] };
}

/** Letters, punctuation and lines of boxes: none of them joins with its neighbour. */
const SIMPLE = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u257f]*$/;

function segmentSimple(text: string): Iterable<Intl.SegmentData> {
  return Array.from(text, (segment, index) => ({ segment, index, input: text }));
}
