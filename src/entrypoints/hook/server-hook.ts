import type { ReplyPlan } from "../../attend/attend.ts";
import type { Config } from "../../config.ts";
import type { Context } from "../../context.ts";
import { sinceStart, systemClock } from "../../lib/clock.ts";
import { errorMessage, OldhandError } from "../../lib/errors.ts";
import { countUnreached, hasHungLately, noteHang, type UnreachedReason } from "../../lib/unreached.ts";
import { isSelfTest } from "../../observe/protocol/self-test-name.ts";
import { spoolEvents } from "../../observe/spool.ts";
import { hasUsedOverrides } from "../../recall/copy/rule-copy.ts";
import type { ActiveListing } from "../../store/nouns/rules.ts";
import type { Db } from "../../store/engine/db.ts";
import { StoreTooSlow, withinPatience } from "./patience.ts";
import type { HookProcess } from "./reply-in-time.ts";
import { patienceAfterConnecting } from "./server-patience.ts";

/** What a hook does besides if its store is a server: loaded only then. */
export interface ServerHook {
  /** True if the server has hung lately. */
  readonly hasHung: boolean;
  /** Keeps what is read before a call, for the copy. */
  onListed(listing: ActiveListing): void;
  /** Waits until the server is connected. Returns how long its answers are awaited then. */
  connect(opening: Promise<Db>, wait: { readonly patienceMs: number; readonly slowness: number }): Promise<number>;
  /** Brings the local copy of the rules up to date, if this takes no longer than `ms`. Never throws. */
  refreshCopy(ctx: Pick<Context, "db" | "clock" | "config">, ms: number): Promise<void>;
  /** For a hook that the server did not answer: judges its calls by the local copy of the rules, and counts it. */
  replyWithout(error: unknown, own: Pick<HookProcess, "clock" | "reply">): Promise<void>;
}

export function newServerHook(config: Config, plan: ReplyPlan): ServerHook {
  const hasHung = hasHungLately(config.home, systemClock.now());
  let listing: ActiveListing | undefined;
  return {
    hasHung,
    onListed: (one) => {
      listing = one;
    },
    connect: async (opening, { patienceMs, slowness }) => {
      const began = sinceStart();
      const db = await withinPatience(opening, patienceMs);
      const connectMs = sinceStart() - began;
      if (hasUsedOverrides(config)) {
        const { tellUsedOverrides } = await import("../../recall/copy/refresh-copy.ts");
        await withinPatience(tellUsedOverrides({ db, config }), patienceMs);
      }
      // A living process has its connection already, which says nothing about the server.
      if (connectMs < KEPT_MS) return patienceMs;
      return patienceAfterConnecting(connectMs, patienceMs, slowness) - connectMs;
    },
    refreshCopy: async (ctx, ms) => {
      // An override may have been used since the listing was read.
      const known = listing?.ahead?.overrides.length === 0 ? listing : undefined;
      try {
        const { refreshRuleCopy } = await import("../../recall/copy/refresh-copy.ts");
        await withinPatience(refreshRuleCopy(ctx, plan.workspace, known), ms);
      } catch {
        // The server is too slow, or the home cannot be written. The next process with time does it.
      }
    },
    replyWithout: async (error, { clock, reply }) => {
      if (plan.events.some((one) => isSelfTest(one.session))) return;
      const reason = findReason(error);
      const now = systemClock.now();
      if (reason === "slow" && !hasHung) noteHang(config.home, now);
      if (plan.pendingCalls.length === 0) return countUnreached(config.home, "unsaid", reason, now);
      const { replyByCopy } = await import("../../attend/reply-by-copy.ts");
      const { text, kind, denied } = await replyByCopy({ config, clock }, plan);
      if (text !== "") reply(text);
      countUnreached(config.home, kind, reason, now);
      spoolEvents(config.home, denied);
    },
  };
}

const KEPT_MS = 5;

function findReason(error: unknown): UnreachedReason {
  if (error instanceof StoreTooSlow) return "slow";
  if (!(error instanceof OldhandError) || error.code !== "store-unreachable") return "failed";
  return /timeout|ETIMEDOUT/i.test(errorMessage(error.cause)) ? "slow" : "refused";
}
