import { OldhandError } from "../../src/lib/errors.ts";
import type { Faults } from "./faults.ts";
import type { SimProcess, Simulation } from "./simulation.ts";

/** Delivers a message to a process later: perhaps never, perhaps twice, and never to one that is down. */
export function deliverLater(sim: Simulation, faults: Faults, to: SimProcess, act: () => void): void {
  const copies = sim.random() < faults.lostMessage ? 0 : sim.random() < faults.doubledMessage ? 2 : 1;
  for (let copy = 0; copy < copies; copy++) {
    const slow = sim.random() < faults.slow ? sim.random() * faults.slowMs : sim.random() * 20;
    to.step("gets a message", { delay: Math.floor(slow), quiet: true }).then(act, () => {});
  }
}

export type ModelAnswer = "answers" | "refuses";

/** A model's call: it takes up to `longest`, fails, refuses or answers. */
export async function askModel(
  sim: Simulation,
  faults: Faults,
  process: SimProcess,
  { longest, signal }: { readonly longest: number; readonly signal: AbortSignal },
): Promise<ModelAnswer> {
  const drawn = sim.random();
  await process.sleep(Math.floor(sim.random() * longest), signal);
  if (drawn < faults.modelFails) {
    sim.note(process.name, "the model fails");
    throw new OldhandError("unanswered", "the simulated model failed");
  }
  return drawn < faults.modelFails + faults.modelRefuses ? "refuses" : "answers";
}
