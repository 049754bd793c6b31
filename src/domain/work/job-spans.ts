import type { Job } from "./job.ts";

/** A time in which a job did not change; null: it did not exist. */
export interface JobSpan {
  /** From after this time, up to and including `until`. */
  readonly after: number;
  readonly until: number;
  readonly job: Job | null;
}

/** A change of a job, as the journal has it. */
export interface JobChange {
  readonly at: number;
  readonly before: Job | null;
  readonly after: Job | null;
}

/**
 * How a job was scheduled in a range of time, oldest first. A slot is due by the schedule of its own time, so a job that
 * was changed, removed or brought back has no slots of a schedule that did not hold then.
 */
export function listJobSpans(
  current: Job,
  changes: readonly JobChange[],
  range: { readonly after: number; readonly until: number },
): readonly JobSpan[] {
  const later = changes.filter(({ at }) => at > range.after);
  const [first] = later;
  let open = { after: range.after, job: first === undefined ? current : first.before };
  const spans: JobSpan[] = [];
  for (const { at, after } of later.filter((one) => one.at < range.until)) {
    spans.push({ ...open, until: at });
    open = { after: at, job: after };
  }
  return [...spans, { ...open, until: range.until }].filter((span) => span.until > span.after);
}
