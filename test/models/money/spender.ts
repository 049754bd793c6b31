/**
 * Runs as a separate process: `node spender.mjs DATABASE CALLS AMOUNT NOW`. It makes CALLS calls, four at a time, each with a
 * reservation, and prints the steps of each: `sent`, `settled` or `capped`.
 */
import { openStore } from "../../../src/store/open.ts";
import { reserve, settle } from "../../../src/store/models/reservations.ts";

const [, , database = "", calls = "0", amount = "0", now = "0"] = process.argv;
const say = (line: string) => process.stdout.write(`${line}\n`);
const { db, close } = await openStore({ database, busyMs: 20_000 });
const left = Array.from({ length: Number(calls) }, (_, n) => `call ${process.pid} ${n}`);

async function work(): Promise<void> {
  for (let call = left.pop(); call !== undefined; call = left.pop()) {
    const result = await reserve(db, {
      ...{ call, attempt: 0, amount: Number(amount), leaseMs: 60_000, now: Number(now) },
      spender: { agent: "ada", job: "nightly", goal: null },
    });
    if (result.kind === "capped") {
      say("capped");
      continue;
    }
    say("sent");
    // The answer takes a while, so that the test can kill the process here.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await settle(db, result.reservation, { cost: Number(amount), now: Number(now) });
    say("settled");
  }
}

await Promise.all([work(), work(), work(), work()]);
await close();
