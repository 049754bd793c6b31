import { addSession, correlation, logLikelihood, newArmTally, type SessionCount, type ArmTally } from "./clusters.ts";

/**
 * Evidence that may be checked after every session. Each e-process bets against "the rule makes no difference". If that
 * is true, the stake is not expected to grow, so the probability that it ever grows twentyfold is at most one in twenty
 * (Ville's inequality), however often one looks and whenever one stops.
 */
export interface EProcess {
  add(session: ArmSession): void;
  /** The log of the stake per alternative ratio, in the order of `alternativeRatios`. */
  logEvidence(): LogEvidence;
}

export interface LogEvidence {
  readonly works: readonly number[];
  readonly harmful: readonly number[];
}

export interface ArmSession extends SessionCount {
  readonly arm: Arm;
}

/** Before the rule existed; with the rule; in its control group. */
export type Arm = "before" | "treated" | "held-out";

/** The ratios of attempts with the rule to attempts without it that are bet on, in equal parts. */
export const alternativeRatios = { works: [0.01, 0.1, 0.25, 0.5, 0.75], harmful: [1.33, 2, 4] } as const;

/** The log of the mean of several stakes. */
export function averageLogEvidence(logs: ArrayLike<number>): number {
  let most = -Infinity;
  for (let at = 0; at < logs.length; at++) most = Math.max(most, logs[at] ?? 0);
  let sum = 0;
  for (let at = 0; at < logs.length; at++) {
    const below = (logs[at] ?? 0) - most;
    // Terms far below the maximum add nothing, and most of a grid is.
    if (below > -40) sum += Math.exp(below);
  }
  return most + Math.log(sum / logs.length);
}

/**
 * Bets on a session's arm from what happened in it. The arm was assigned at random with a known probability, so without
 * an effect nothing in the session predicts it. This holds whatever the rates, their drift, and the correlation of
 * calls.
 */
export function holdoutEProcess(oneIn: number): EProcess {
  const treatedShare = 1 - 1 / oneIn;
  const tallies = newTallies();
  const logs = { works: alternativeRatios.works.map(() => 0), harmful: alternativeRatios.harmful.map(() => 0) };
  const bet = (session: ArmSession, ratio: number, alike: number) => {
    const { control, treated } = supposedShares(tallies, ratio);
    const without = logLikelihood(session, control, alike);
    const edge = logLikelihood(session, treated, alike) - without;
    const odds = Math.exp(Math.min(500, Math.max(-500, edge)));
    const even = Math.log(treatedShare * odds + (1 - treatedShare));
    return (session.arm === "treated" ? Math.log(odds) : 0) - even;
  };
  return {
    add: (session) => {
      if (session.arm !== "before" && session.opportunities > 0) {
        const alike = correlation(Object.values(tallies));
        for (const side of ["works", "harmful"] as const) {
          alternativeRatios[side].forEach((ratio, at) => {
            logs[side][at] = (logs[side][at] ?? 0) + bet(session, ratio, alike);
          });
        }
      }
      addSession(tallies[session.arm], session);
    },
    logEvidence: () => ({ works: [...logs.works], harmful: [...logs.harmful] }),
  };
}

type Tallies = Readonly<Record<Arm, ArmTally>>;

function newTallies(): Tallies {
  return { before: newArmTally(), treated: newArmTally(), "held-out": newArmTally() };
}

/** The attempt shares in both arms if the ratio were this, estimated from the sessions so far. */
function supposedShares(tallies: Tallies, ratio: number): { readonly control: number; readonly treated: number } {
  const { before, treated, "held-out": heldOut } = tallies;
  const attempts = before.attempts + heldOut.attempts + treated.attempts + 0.5;
  const opportunities = before.opportunities + heldOut.opportunities + ratio * treated.opportunities + 1;
  const control = Math.min(attempts / opportunities, 0.97, 0.97 / ratio);
  return { control, treated: control * ratio };
}

/** Bets on the arm from the number of failed calls in the session: a rule may prevent one mistake and cause others. */
export function failureEProcess(oneIn: number): { add(arm: Arm, failures: number): void; logEvidence(): number } {
  const treatedShare = 1 - 1 / oneIn;
  const logs = alternativeRatios.harmful.map(() => 0);
  let [failed, sessions, treatedSessions] = [0.5, 1, 0];
  return {
    add: (arm, failures) => {
      if (arm !== "before") {
        alternativeRatios.harmful.forEach((ratio, at) => {
          const mean = failed / (sessions + ratio * treatedSessions);
          const odds = Math.exp(Math.min(500, failures * Math.log(ratio) - mean * (ratio - 1)));
          const even = Math.log(treatedShare * odds + (1 - treatedShare));
          logs[at] = (logs[at] ?? 0) + (arm === "treated" ? Math.log(odds) : 0) - even;
        });
      }
      failed += failures;
      if (arm === "treated") treatedSessions += 1;
      else sessions += 1;
    },
    logEvidence: () => averageLogEvidence(logs),
  };
}
