import { z } from "zod";
import { formatActor } from "../../domain/actor.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { parseMoment } from "../../lib/moment.ts";
import { defineOperation } from "../../operation.ts";
import { noteAction } from "../../store/journal/actions.ts";
import { makeProvenance } from "../../store/journal/journal.ts";
import { beginPause, endPauses } from "../../store/work/pauses.ts";

const pause = defineOperation({
  name: "pause",
  summary:
    "Pauses all jobs and workers of this mind, on every machine. What runs is stopped; `oldhand resume` ends the pause.",
  effect: "write",
  on: "job",
  label: "Pause all work",
  input: z.object({
    until: z
      .string()
      .refine((text) => parseMoment(text, 0) !== null, "must be such as 10m, 2h, 18:00 or 2026-01-31T12:00:00Z")
      .optional()
      .describe("when the pause ends by itself: 10m, 2h, 18:00 (on this machine) or 2026-01-31T12:00:00Z"),
  }),
  output: z.object({ since: z.string(), until: z.string().nullable() }),
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const now = ctx.clock.now();
    const until = input.until === undefined ? null : parseMoment(input.until, now);
    if (until !== null && until <= now)
      throw new OldhandError("usage", `${input.until ?? ""} is over already`, { hint: "give a time in the future" });
    const made = await beginPause(ctx.db, { until, by: formatActor(ctx.actor), now });
    const end = until === null ? "" : ` until ${iso(until)}`;
    await noteAction(ctx.db, makeProvenance(ctx, "pause"), `pause of all work${end}`);
    return { since: iso(made.since), until: made.until === null ? null : iso(made.until) };
  },
  render: ({ until }) =>
    until === null
      ? "Paused. `oldhand resume` ends the pause."
      : `Paused until ${until}. \`oldhand resume\` ends the pause earlier.`,
});

const resume = defineOperation({
  name: "resume",
  summary: "Ends the pause of all jobs and workers.",
  effect: "write",
  on: "job",
  label: "Resume all work",
  input: z.object({}),
  output: z.object({ ended: z.number().describe("pauses that were on") }),
  isOwnerOnly: () => true,
  run: async (ctx) => {
    const ended = await endPauses(ctx.db, ctx.clock.now());
    if (ended > 0) await noteAction(ctx.db, makeProvenance(ctx, "resume"), "end of the pause");
    return { ended };
  },
  render: ({ ended }) => (ended === 0 ? "Nothing was paused." : "Work goes on."),
  isNegative: ({ ended }) => ended === 0,
});

export const pauseOperations = [pause, resume] as const;
