/**
 * Run by tests as separate processes: `node child.mjs VERB DATABASE …`. Each prints a line when it is ready or done.
 */
import { formatProcessRef, currentProcess } from "../../src/lib/process-ref.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import { appendEvent } from "../../src/store/events/events.ts";
import { applyChange } from "../../src/store/journal/journal.ts";
import { acquireLease } from "../../src/store/state/leases.ts";
import { openStore } from "../../src/store/open.ts";
import { aRule, anEvent, byOwner, put } from "./samples.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";

const [, , verb = "", database = "", ...rest] = process.argv;
const say = (line: string) => process.stdout.write(`${line}\n`);
const store = await openStore({ database, busyMs: 10_000 }).catch((error: { code?: string; message: string }) => {
  say(`error ${error.code} ${error.message}`);
  process.exit(3);
});
const { db } = store;

const verbs: Record<string, () => Promise<void>> = {
  open: async () => {
    await store.close();
    say("opened");
  },
  /** Takes a lease, then waits to be killed. */
  hold: async () => {
    const asker = { owner: formatProcessRef(currentProcess()), now: 1_000 };
    const lease = await acquireLease(db, "lead", { ...asker, ttlMs: 3_600_000 });
    say(lease.kind);
    setInterval(() => {}, 1_000);
  },
  /** Claims a piece of work, then waits to be killed. */
  "hold-work": async () => {
    const queue = await openQueue(store, { queues: ["q"], clock: systemClock });
    const claim = await queue.claim("q", { id: formatProcessRef(currentProcess()), leaseMs: 1e12 });
    say(claim?.item ?? "none");
    setInterval(() => {}, 1_000);
  },
  /** Does all work of a queue; prints each item. */
  queue: async () => {
    const queue = await openQueue(store, { queues: ["q"], clock: systemClock });
    for (;;) {
      const claim = await queue.claim("q", { id: formatProcessRef(currentProcess()), leaseMs: 60_000 });
      if (claim === null) break;
      if (await db.tx((tx) => queue.settle(tx, claim, { kind: "done" }))) say(claim.item);
    }
    await queue.close();
    await store.close();
  },
  /** Writes events one by one, every tenth write a change of the mind; prints each after its commit. */
  write: async () => {
    const [name = "", count = "0"] = rest;
    for (let i = 0; i < Number(count); i++) {
      if (i % 10 === 9) await put(db, ruleNoun, aRule(`r_${name}_${i % 30}`, { text: `${name} ${i}` }));
      else await appendEvent(db, anEvent(`${name}-${i}`, { session: name, text: `event ${i}` }));
      say(String(i));
    }
    await store.close();
    say("done");
  },
  /** Adds observations to a rule, while other processes do the same. */
  count: async () => {
    const [id = "", times = "0"] = rest;
    for (let i = 0; i < Number(times); i++)
      await applyChange(db, { noun: ruleNoun, id }, byOwner(1), (rule) => {
        if (rule === null) throw new Error(`there is no rule ${id}`);
        return { ...rule, evidence: { ...rule.evidence, observations: rule.evidence.observations + 1 } };
      });
    await store.close();
    say("done");
  },
  /** Writes an event and a change in one transaction, repeatedly, until killed. */
  pairs: async () => {
    const [name = ""] = rest;
    for (let i = 0; ; i++) {
      await db.tx(async (tx) => {
        await appendEvent(tx, anEvent(`${name}-${i}`, { session: name }));
        await put(tx, ruleNoun, aRule(`r_${name}_${i}`, { text: `${name} ${i}` }));
      });
      say(String(i));
    }
  },
};

await verbs[verb]?.();
