import type { Context } from "../../context.ts";
import { formatLocalTime, SECOND } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import {
  currentProcess,
  describeProcess,
  formatProcessRef,
  isOfThisMachine,
  isProcessGone,
} from "../../lib/process-ref.ts";
import { findChatSession } from "../../store/chat/chat-sessions.ts";
import type { ChatSurface } from "../turn/turn-parts.ts";
import { acquireLease, findAnyLease, findLease, releaseLease, renewLease } from "../../store/state/leases.ts";

export interface SessionLease {
  /** Aborts if another process took the session over. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** One process has a session at a time. If that process dies, the next one gets it at once, on another machine after a minute. */
export async function takeSessionLease(
  { db, clock }: Pick<Context, "db" | "clock">,
  session: string,
  surface: ChatSurface | undefined,
): Promise<SessionLease> {
  const owner = [formatProcessRef(currentProcess()), clock.now(), surface ?? ""].join("/");
  const taken = await acquireLease(db, leaseName(session), { owner, now: clock.now(), ttlMs: LEASE_MS });
  if (taken.kind === "taken") throw heldElsewhere(session, readHolder(taken.by), clock.now());
  const lost = new AbortController();
  const timer = setInterval(() => {
    renewLease(db, taken.lease, clock.now() + LEASE_MS).then(
      (isHeld) => {
        if (!isHeld) lost.abort();
      },
      // The store is busy: the next renewal may work, and the entries' numbers keep two writers apart.
      () => {},
    );
  }, LEASE_MS / 3);
  timer.unref();
  return {
    lost: lost.signal,
    release: async () => {
      clearInterval(timer);
      await releaseLease(db, taken.lease);
    },
  };
}

/** The process that has the session open now, in words for a person; null if it can be opened. */
export async function findSessionHolder(
  { db, clock }: Pick<Context, "db" | "clock">,
  session: string,
): Promise<string | null> {
  const lease = await findLease(db, leaseName(session), clock.now());
  return lease === null ? null : describeHolder(readHolder(lease.owner), clock.now());
}

/**
 * True if no process works on the session any more, nor on the one that started it as a sub-agent. A process of this machine
 * that runs is at work, also if it is late to renew its lease: the machine may have slept.
 */
export async function isSessionLeft({ db, clock }: Pick<Context, "db" | "clock">, session: string): Promise<boolean> {
  const row = await findChatSession(db, session);
  if (row === null) return false;
  if (row.parent !== null) return isSessionLeft({ db, clock }, row.parent);
  const lease = await findAnyLease(db, leaseName(session));
  if (lease === null || isProcessGone(lease.owner)) return true;
  return lease.until <= clock.now() && !isOfThisMachine(lease.owner);
}

interface SessionHolder {
  readonly process: string;
  /** Null if an older version took it. */
  readonly since: number | null;
  readonly surface: ChatSurface | null;
}

/** The lease's owner: the process, when it took the session, and for what. */
function readHolder(owner: string): SessionHolder {
  const [, process = owner, since, surface] = OWNER.exec(owner) ?? [];
  return {
    process,
    since: since === undefined ? null : Number(since),
    surface: surfaces.find((one) => one === surface) ?? null,
  };
}

const OWNER = /^(.+\/\d+\/[^/]*)\/(\d+)\/(\w*)$/;
const surfaces: readonly ChatSurface[] = ["chat", "ask", "serve", "cycle"];

function describeHolder({ process, since, surface }: SessionHolder, now: number): string {
  return [
    ...(surface === null ? [] : [`oldhand ${surface}`]),
    describeProcess(process),
    ...(since === null ? [] : [`since ${formatLocalTime(since, now)}`]),
  ].join(", ");
}

function heldElsewhere(session: string, holder: SessionHolder, now: number): OldhandError {
  const { where, hint } = places[holder.surface ?? "unknown"];
  const other = "or begin another session: oldhand chat";
  return new OldhandError("conflict", `the session ${session} is open ${where}: ${describeHolder(holder, now)}`, {
    hint: `Only one program at a time can write to a session. ${hint}, ${other}`,
  });
}

const places: Readonly<Record<ChatSurface | "unknown", { readonly where: string; readonly hint: string }>> = {
  chat: { where: "in another terminal", hint: "Press Ctrl-C twice there, then try again" },
  ask: { where: "in another terminal", hint: "Wait until it has answered, or press Ctrl-C there" },
  serve: { where: "in the dashboard", hint: "Write there, or close its page and wait until the turn has ended" },
  cycle: { where: "in a cycle", hint: "Wait until the cycle has ended" },
  unknown: { where: "in another process", hint: "Close it there" },
};

function leaseName(session: string): string {
  return `chat ${session}`;
}

const LEASE_MS = 60 * SECOND;
