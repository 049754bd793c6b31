import { type ChildProcess, spawn } from "node:child_process";
import { systemClock } from "../src/lib/clock.ts";
import { makeRandom } from "../src/lib/random.ts";
import { sleep } from "../src/lib/sleep.ts";
import type { QueueWorkerJob } from "./queue-worker.ts";

export interface Start {
  readonly item: string;
  readonly attempt: number;
  readonly at: number;
  readonly waitedMs: number;
  readonly worker: string;
}

export interface FleetOptions extends Pick<QueueWorkerJob, "kind" | "database" | "taskMs" | "leaseMs"> {
  readonly program: string;
  readonly processes: number;
}

interface Worker {
  readonly id: string;
  readonly child: ChildProcess;
  isStopped: boolean;
}

/** Worker processes, what they started, and what happened to them. */
export interface Fleet {
  starts(): readonly Start[];
  /** Milliseconds from each kill or stop to the next start of the work that was held. */
  recoveries(): readonly number[];
  makeTrouble(wanted: { readonly kills: number; readonly stops: number; readonly leaseMs: number }): Trouble;
  stop(): Promise<void>;
}

export interface Trouble {
  kills(): number;
  stops(): number;
  /** Waits until every stopped worker goes on. */
  end(): Promise<void>;
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const starts: Start[] = [];
  /** What each worker held when it was killed or stopped. */
  const losses: { readonly start: Start; readonly at: number }[] = [];
  const workers: Worker[] = [];
  let count = 0;

  const startWorker = (): Promise<void> => {
    const id = `bench-machine/${++count}/1`;
    const job: QueueWorkerJob = { ...options, id };
    const child = spawn(process.execPath, [options.program, "bench", "queue", "--worker", JSON.stringify(job)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const worker = { id, child, isStopped: false };
    workers.push(worker);
    return new Promise((resolve, reject) => {
      let rest = "";
      child.once("error", reject);
      child.once("exit", () => resolve());
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          if (line === "ready") resolve();
          else starts.push(readStart(line, id));
        }
      });
    });
  };

  const running = () =>
    workers.filter(({ child, isStopped }) => child.exitCode === null && child.signalCode === null && !isStopped);
  const noteLoss = (worker: Worker) => {
    const start = starts.findLast((one) => one.worker === worker.id);
    if (start !== undefined) losses.push({ start, at: systemClock.now() });
  };

  await Promise.all(Array.from({ length: options.processes }, startWorker));
  return {
    starts: () => starts,
    recoveries: () =>
      losses.flatMap(({ start, at }) => {
        const next = starts.find((one) => one.item === start.item && one.attempt > start.attempt);
        return next === undefined ? [] : [next.at - at];
      }),
    makeTrouble: ({ kills, stops, leaseMs }) => {
      const random = makeRandom(7);
      let [killed, stopped] = [0, 0];
      let isOver = false;
      const waits: Promise<void>[] = [];
      const go = async () => {
        while (!isOver && (killed < kills || stopped < stops)) {
          await sleep(200 + random() * 600);
          const all = running();
          const one = all[Math.floor(random() * all.length)];
          if (isOver || one === undefined || all.length <= options.processes / 2) continue;
          noteLoss(one);
          if (killed < kills && (stopped >= stops || random() < 0.5)) {
            killed++;
            one.child.kill("SIGKILL");
            waits.push(startWorker());
          } else {
            stopped++;
            waits.push(pauseWorker(one, leaseMs * (1.2 + random())));
          }
        }
      };
      const going = go();
      return {
        kills: () => killed,
        stops: () => stopped,
        end: async () => {
          isOver = true;
          await going;
          await Promise.all(waits);
        },
      };
    },
    stop: async () => {
      await Promise.all(
        workers.map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = new Promise((resolve) => child.once("exit", resolve));
          child.kill("SIGTERM");
          await ended;
        }),
      );
    },
  };
}

async function pauseWorker(worker: Worker, ms: number): Promise<void> {
  worker.isStopped = true;
  worker.child.kill("SIGSTOP");
  await sleep(ms);
  worker.child.kill("SIGCONT");
  worker.isStopped = false;
}

function readStart(line: string, worker: string): Start {
  const [item = "", attempt, at, waited] = line.split(" ");
  return { item, attempt: Number(attempt), at: Number(at), waitedMs: Number(waited), worker };
}
