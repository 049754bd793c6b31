// A process that runs one cycle and ends itself by kill -9 when a step begins.
import { openContext } from "../../../src/mind.ts";
import type { CycleStep } from "../../../src/domain/goal/cycle.ts";
import { stepTexts } from "../../../src/work/goals/cycle/cycle-fence.ts";
import { ownParts } from "../../../src/work/goals/cycle/own-parts.ts";
import { runCycle } from "../../../src/work/goals/cycle/run-cycle.ts";
import { clockAt } from "../../../src/lib/clock-at.ts";

const { HOME_OF_MIND: home, DATABASE: database, KILL_AT: step, NOW: now } = process.env;
const report = ({ text }: { readonly text: string }) => {
  // The row of the step is stored: now the process is gone, at once.
  if (text === stepTexts[step as CycleStep]) process.kill(process.pid, "SIGKILL");
};
const mind = await openContext({ home, database, clock: clockAt(now) ?? undefined, report });
await runCycle(mind, ownParts(mind), { model: null });
await mind.close();
