/** Run as processes of their own by the tests: `node child.mjs VERB DATABASE …`. Each prints a line when it is ready or done. */
import { formatOwner, thisProcess } from "../../src/lib/owner.ts";
import { claimNext, finishClaim } from "../../src/store/claims.ts";
import { appendEvent } from "../../src/store/events.ts";
import { change } from "../../src/store/journal.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { openStore } from "../../src/store/open.ts";
import { aRule, anEvent, byHand } from "./samples.ts";

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
  /** Takes a lease and a claim, then waits to be killed. */
  hold: async () => {
    const asker = { owner: formatOwner(thisProcess()), now: 1_000 };
    const lease = await acquireLease(db, "lead", { ...asker, ttlMs: 3_600_000 });
    const claim = await claimNext(db, "work", { ...asker, leaseMs: 3_600_000 });
    say(`${lease.kind} ${claim.kind}`);
    setInterval(() => {}, 1_000);
  },
  work: async () => {
    for (;;) {
      const answer = await claimNext(db, "work", { owner: formatOwner(thisProcess()), now: 1_000, leaseMs: 3_600_000 });
      if (answer.kind === "none") break;
      if (await finishClaim(db, answer.claim)) say(answer.claim.item);
    }
    await store.close();
  },
  /** Events one by one, every tenth write a change of the mind; each is told after its commit. */
  write: async () => {
    const [name = "", count = "0"] = rest;
    for (let i = 0; i < Number(count); i++) {
      if (i % 10 === 9) await change(db, edit(`r_${name}_${i % 30}`, `${name} ${i}`));
      else await appendEvent(db, anEvent(`${name}-${i}`, { session: name, text: `event ${i}` }));
      say(String(i));
    }
    await store.close();
    say("done");
  },
  /** An event and a change in one transaction, over and over, until killed. */
  pairs: async () => {
    const [name = ""] = rest;
    for (let i = 0; ; i++) {
      await db.tx(async (tx) => {
        await appendEvent(tx, anEvent(`${name}-${i}`, { session: name }));
        await change(tx, edit(`r_${name}_${i}`, `${name} ${i}`));
      });
      say(String(i));
    }
  },
};

function edit(subject: string, text: string) {
  return { noun: "rule", subject, after: { ...aRule(subject, { text }) }, actor: "owner", cause: byHand, at: 1 };
}

await verbs[verb]?.();
