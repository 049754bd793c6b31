import { describe, expect, it } from "vitest";
import type { Job } from "./job.ts";
import { listJobSpans } from "./job-spans.ts";

const hourly: Job = {
  id: "job_1",
  name: "tests",
  cron: "0 * * * *",
  zone: "UTC",
  work: { kind: "built-in", name: "heartbeat" },
  late: "once",
  model: null,
  enabled: true,
  madeAt: 0,
};
const daily = { ...hourly, cron: "0 9 * * *" };

describe("the schedule of a job over time", () => {
  it("is one, if nothing was changed", () => {
    expect(listJobSpans(hourly, [{ at: 5, before: null, after: hourly }], { after: 10, until: 20 })).toEqual([
      { after: 10, until: 20, job: hourly },
    ]);
  });

  it("changes at the time of each change", () => {
    const changes = [
      { at: 12, before: hourly, after: daily },
      { at: 15, before: daily, after: hourly },
    ];
    expect(listJobSpans(hourly, changes, { after: 10, until: 20 })).toEqual([
      { after: 10, until: 12, job: hourly },
      { after: 12, until: 15, job: daily },
      { after: 15, until: 20, job: hourly },
    ]);
  });

  it("is none while the job was removed", () => {
    const changes = [
      { at: 12, before: hourly, after: null },
      { at: 15, before: null, after: hourly },
    ];
    const jobs = listJobSpans(hourly, changes, { after: 10, until: 20 }).map(({ job }) => job);
    expect(jobs).toEqual([hourly, null, hourly]);
  });

  it("is the old one before a change that was made by a clock ahead of this one", () => {
    const changes = [{ at: 25, before: hourly, after: daily }];
    expect(listJobSpans(daily, changes, { after: 10, until: 20 })).toEqual([{ after: 10, until: 20, job: hourly }]);
  });
});
