import { setImmediate } from "node:timers/promises";
import { makeRandom, type Random } from "../../src/lib/random.ts";
import type { Clock } from "../../src/lib/clock.ts";

/** One line of what happened. */
export interface StoryLine {
  /** Milliseconds since the start, in true time. */
  readonly at: number;
  readonly who: string;
  readonly what: string;
}

/** A computer: its clock may be wrong, and may jump. */
export interface Machine {
  readonly name: string;
  readonly clock: Clock;
  jump(ms: number): void;
}

/** A simulated program. It waits only in `step` and `sleep`, and the simulation decides when it goes on. */
export interface SimProcess {
  readonly name: string;
  readonly machine: Machine;
  readonly isDown: boolean;
  /** Waits for its turn. Rejects if the process was crashed meanwhile. */
  step(what: string, options?: StepOptions): Promise<void>;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** It stops for ever. What it has sent may still arrive. */
  crash(): void;
  /** It stops, and goes on later as if nothing had happened (SIGSTOP, a closed lid). */
  pause(ms: number): void;
}

export interface StepOptions {
  readonly delay?: number;
  /** Not before this is true. */
  isReady?(): boolean;
  /** Aborted: at once. */
  readonly signal?: AbortSignal | undefined;
  /** Left out of the story. */
  readonly quiet?: boolean;
}

export class ProcessDown extends Error {}

interface PendingStep {
  readonly owner: OwnProcess;
  readonly what: string;
  readonly quiet: boolean;
  due(): number;
  isReady(): boolean;
  resolve(): void;
  reject(error: Error): void;
}

interface OwnProcess extends SimProcess {
  pausedUntil: number;
  /** Inside a transaction a process is not stopped: a store would keep all others waiting. */
  isBusy: () => boolean;
  /** Like a crash, without a word. */
  end(): void;
}

/** True time starts here: a Monday. */
export const START = Date.UTC(2026, 0, 5);
const MOST_STEPS = 20_000;
/** Of a long run, only the last lines are kept. */
const MOST_LINES = 40_000;

/**
 * Runs several processes in one, a step at a time. The seed decides whose step is next, how long each takes, and what
 * fails: the same seed gives the same run.
 */
export function newSimulation(seed: number) {
  const random = makeRandom(seed);
  let now = 0;
  let steps = 0;
  let inFlight = 0;
  const story: StoryLine[] = [];
  const processes: OwnProcess[] = [];
  let pending: PendingStep[] = [];
  let plans: { readonly at: number; readonly act: () => void }[] = [];
  const faults: unknown[] = [];
  const note = (who: string, what: string) => {
    if (story.length >= MOST_LINES) story.splice(0, MOST_LINES / 2);
    story.push({ at: now, who, what });
  };

  const newMachine = (name: string, offset = 0): Machine => {
    let ahead = offset;
    return {
      name,
      clock: { now: () => START + now + ahead },
      jump: (ms) => {
        ahead += ms;
        note(name, `the clock jumps by ${ms} ms`);
      },
    };
  };

  const waitFor = (owner: OwnProcess, what: string, options: StepOptions): Promise<void> =>
    new Promise((resolve, reject) => {
      if (owner.isDown) return reject(new ProcessDown(owner.name));
      const at = now + (options.delay ?? 0);
      const due = () => (options.signal?.aborted === true ? now : at);
      const isReady = options.isReady ?? (() => true);
      pending.push({ owner, what, due, quiet: options.quiet === true, isReady, resolve, reject });
    });

  const start = (machine: Machine, name: string, main: (self: SimProcess) => Promise<void>): SimProcess => {
    let isDown = false;
    const self: OwnProcess = {
      name,
      machine,
      pausedUntil: 0,
      isBusy: () => false,
      get isDown() {
        return isDown;
      },
      step: (what, options = {}) => waitFor(self, what, options),
      sleep: (ms, signal) => waitFor(self, "wakes", { delay: ms, quiet: true, signal }),
      end: () => {
        isDown = true;
      },
      crash: () => {
        if (isDown) return;
        isDown = true;
        note(name, "crashes");
        const lost = pending.filter((one) => one.owner === self && random() < 0.5);
        pending = pending.filter((one) => !lost.includes(one));
        for (const one of lost) one.reject(new ProcessDown(name));
      },
      pause: (ms) => {
        if (isDown) return;
        self.pausedUntil = now + ms;
        note(name, `is stopped for ${ms} ms`);
      },
    };
    processes.push(self);
    note(name, `starts on ${machine.name}`);
    main(self).catch((error: unknown) => {
      if (!(error instanceof ProcessDown) && !isDown) faults.push(error);
    });
    return self;
  };

  /** Waits until nothing happens any more: no store works, and no code waits for another turn of the event loop. */
  const settle = async (): Promise<void> => {
    do await setImmediate();
    while (inFlight > 0);
  };

  const isRunnable = (one: PendingStep) =>
    one.due() <= now && one.isReady() && (one.owner.pausedUntil <= now || one.owner.isBusy());

  /** Goes to the next moment at which something may happen. False if there is none. */
  const skipTime = (): boolean => {
    const times = [
      ...pending.flatMap((one) => [one.due(), one.owner.pausedUntil]),
      ...plans.map((plan) => plan.at),
    ].filter((at) => at > now);
    if (times.length === 0) return false;
    now = Math.min(...times);
    return true;
  };

  const firePlans = () => {
    const due = plans.filter((plan) => plan.at <= now);
    plans = plans.filter((plan) => plan.at > now);
    for (const plan of due) plan.act();
  };

  return {
    random,
    story,
    note,
    newMachine,
    start,
    now: () => now,
    steps: () => steps,
    find: (name: string) => processes.find((one) => one.name === name),
    /** Marks when a process must not be stopped. */
    setBusy: (owner: SimProcess, isBusy: () => boolean) => void ((owner as OwnProcess).isBusy = isBusy),
    resumeAll: () => {
      for (const one of processes) one.pausedUntil = 0;
    },
    after: (ms: number, act: () => void) => void plans.push({ at: now + ms, act }),
    /** A real call of a real store: the simulation waits for it. */
    track: async <T>(call: () => Promise<T>): Promise<T> => {
      inFlight++;
      try {
        return await call();
      } finally {
        inFlight--;
      }
    },
    /** Until it is over, or `limit` of true time has passed, or nothing can happen any more. */
    run: async (isOver: () => boolean, limit: number, mostSteps = MOST_STEPS): Promise<void> => {
      for (;;) {
        await settle();
        if (faults.length > 0) throw faults[0];
        if (isOver() || now >= limit || steps >= mostSteps) return;
        firePlans();
        const ready = pending.filter(isRunnable);
        const next = pick(random, ready);
        if (next === undefined) {
          if (!skipTime()) return;
          continue;
        }
        pending = pending.filter((one) => one !== next);
        steps++;
        now += 1;
        if (!next.quiet) note(next.owner.name, next.what);
        next.resolve();
      }
    },
    /** Ends all processes, so that nothing of this run touches the next. */
    end: async (): Promise<void> => {
      for (const one of processes) one.end();
      for (const one of pending.splice(0)) one.reject(new ProcessDown(one.owner.name));
      await settle();
    },
  };
}

export type Simulation = ReturnType<typeof newSimulation>;

function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.floor(random() * from.length)];
}
