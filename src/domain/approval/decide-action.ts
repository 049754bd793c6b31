import type { ApprovalReach } from "./approval.ts";
import type { ChatMode } from "../settings/chat-mode.ts";
import { isPromptPath } from "./protected-paths.ts";
import type { ToolEffect } from "./tool-effect.ts";

/**
 * Where an action takes effect:
 * - `inside`: the workspace.
 * - `outside`: any other place of this machine.
 * - `own`: oldhand's home, database, hooks, settings and identity.
 * - `host`: settings of another agent or of git inside the workspace; they can make other programs run something.
 * - `credentials`: a file inside the workspace that usually holds secrets.
 */
export const actionPlaces = ["inside", "outside", "own", "host", "credentials"] as const;
export type ActionPlace = (typeof actionPlaces)[number];

/** What is known of a call before it runs. */
export interface Action {
  readonly effect: ToolEffect;
  readonly place: ActionPlace;
  /** The path or address, for the reason. */
  readonly target: string;
  /** Only if the effect is `execute`. */
  readonly command?: CommandTraits | undefined;
  /** Why it is refused whatever the mode is and whoever says yes. Then nobody is asked. */
  readonly refusal?: RefusalTexts | undefined;
}

/** Why an action is refused, and what would allow it: `remedy` for the model, `help` for the person. */
export interface RefusalTexts {
  readonly reason: string;
  readonly remedy: string;
  readonly help: string;
}

export interface CommandTraits {
  /** True if it only shows things, whatever its arguments are. */
  readonly isReading: boolean;
  /** Whether it can reach oldhand's home if nothing hides the home: it names it, its text does not tell, or it cannot. */
  readonly reachesHome: "named" | "unknown" | "no";
  /** True if the caller says that it needs the network. */
  readonly needsNetwork: boolean;
  /** A file with secrets that its text names. */
  readonly secret?: string | undefined;
  /** A sentence: that an operand is a link, and leads out of the workspace or to a file with secrets (then `secret` is set). */
  readonly linked?: string | undefined;
  /** A host that its text says it contacts. */
  readonly contacts?: string | undefined;
}

export interface ActionSituation {
  readonly mode: ChatMode;
  /** True if somebody is there who can be asked. */
  readonly hasPerson: boolean;
  /** True if commands can be run in a sandbox here. */
  readonly hasSandbox: boolean;
  /** True if the owner lets sandboxed commands use the network. */
  readonly sandboxHasNetwork: boolean;
  /** A yes that was given earlier to an equal action. Of a command: in the sandbox, where there is one. */
  readonly standing: StandingReach | null;
  /** A yes that was given earlier to an equal command, outside the sandbox. */
  readonly standingOutside?: StandingOutside | null | undefined;
}

export type StandingReach = Exclude<ApprovalReach, "once">;

export interface StandingOutside {
  readonly reach: StandingReach;
  /** What has changed since the yes and decides what the command runs. */
  readonly changed: string | null;
}

export type ActionVerdict =
  /** `isOutside`: of a command, by a yes for calls outside the sandbox. */
  | { readonly kind: "run"; readonly because: "free" | "standing"; readonly isOutside?: true }
  /**
   * `isOnceOnly`: an earlier yes does not count, so none is asked for that would reach further than this call. `isOutside`: what
   * it needs is not in the sandbox, so every yes to it is for calls outside.
   */
  | { readonly kind: "ask"; readonly reason: string; readonly isOnceOnly?: true; readonly isOutside?: true }
  | ({ readonly kind: "refuse" } & RefusalTexts);

/** The law of permission: whether an action of oldhand's own agent runs, waits for a person, or is refused. */
export function decideAction(action: Action, situation: ActionSituation): ActionVerdict {
  const verdict = decideAttended(action, situation);
  if (verdict.kind !== "ask") return verdict;
  if (canAsk(situation))
    return action.effect === "execute"
      ? { ...verdict, reason: `${verdict.reason} ${explainPlace(verdict, situation)}` }
      : verdict;
  return { kind: "refuse", reason: verdict.reason, ...remedyWithoutPerson(action, situation) };
}

function remedyWithoutPerson(action: Action, situation: ActionSituation): Pick<RefusalTexts, "remedy" | "help"> {
  if (situation.mode === "unattended")
    return {
      remedy: "Nobody can be asked in the mode unattended. Leave it to the owner.",
      help: "The mode unattended asks nobody. In the modes ask and edit you are asked.",
    };
  const isFreeInEdit =
    situation.mode === "ask" && decideAttended(action, { ...situation, mode: "edit" }).kind === "run";
  return isFreeInEdit
    ? {
        remedy: "Nobody is there to answer. The owner can allow it by the mode edit: oldhand ask --mode edit",
        help: "Nobody can be asked here. The mode edit allows it (--mode edit; in a chat, /mode edit).",
      }
    : { remedy: "Nobody is there to answer. Leave it to the owner.", help: ASK_IN_TERMINAL };
}

const ASK_IN_TERMINAL = "Nobody can be asked here. In a terminal (oldhand chat) you are asked.";

/** The verdict if a rule wants a person's yes to a call that could run otherwise. */
export function requireYes(
  verdict: ActionVerdict,
  situation: ActionSituation,
  because: string | undefined,
): ActionVerdict {
  if (because === undefined || verdict.kind !== "run") return verdict;
  return canAsk(situation)
    ? askOnce(because)
    : refuse(because, {
        remedy: "A rule wants a person's yes, and nobody can be asked. Leave it to the owner.",
        help: `A rule wants your yes. ${ASK_IN_TERMINAL}`,
      });
}

function canAsk({ mode, hasPerson }: ActionSituation): boolean {
  return hasPerson && mode !== "unattended";
}

function decideAttended(action: Action, situation: ActionSituation): ActionVerdict {
  const { effect, place, target, refusal } = action;
  if (refusal !== undefined) return { kind: "refuse", ...refusal };
  if (effect === "execute") return decideCommand(action, situation);
  if (place === "own")
    return refuse(`${target} belongs to oldhand itself.`, {
      remedy: "Only the owner changes it, with oldhand's own commands.",
      help: "Its agent may not touch that. Use oldhand's own commands.",
    });
  if (place === "outside")
    return refuse(`${target} is outside the workspace.`, {
      remedy: "File tools stay in the workspace. The owner can start oldhand there.",
      help: "To work there, start oldhand in that folder.",
    });
  if (effect === "internal") return free;
  if (effect === "read") return place === "credentials" ? decideSecretRead(target, situation) : free;
  if (effect === "edit") return decideEdit(action, situation);
  return decideExternal(action, situation);
}

function decideSecretRead(target: string, situation: ActionSituation): ActionVerdict {
  return situation.mode === "read-only"
    ? refuse(`${secretReason(target)} The mode is read-only.`, READ_ONLY)
    : withYes(situation, secretReason(target));
}

function decideEdit({ place, target }: Action, situation: ActionSituation): ActionVerdict {
  const { mode } = situation;
  if (mode === "read-only") return refuseReadOnly("changes files");
  if (place === "host")
    return withYes(
      situation,
      isPromptPath(target)
        ? `${target} is in the prompt of later sessions, of this agent and of others.`
        : `${target} is a setting of another program, which may run what it names.`,
    );
  if (place === "credentials") return withYes(situation, secretReason(target));
  return mode === "ask" ? withYes(situation, `It changes ${target}.`) : free;
}

function decideExternal({ target }: Action, situation: ActionSituation): ActionVerdict {
  if (situation.mode === "read-only") return refuseReadOnly("contacts another machine");
  return withYes(situation, `It contacts ${target}, outside this machine.`);
}

/** Where a command runs with a yes is part of the question. */
function explainPlace(
  { isOnceOnly, isOutside }: Extract<ActionVerdict, { kind: "ask" }>,
  { hasSandbox }: ActionSituation,
): string {
  if (!hasSandbox) return `There is no sandbox here: it runs ${WITH_ALL}.`;
  const once = `runs outside the sandbox, ${WITH_ALL}`;
  if (isOnceOnly === true) return `It ${once}.`;
  return isOutside === true
    ? `It ${once}, also with a yes for the session or for always. ${UNSEEN}`
    : `With a yes for once it ${once}; with one for the session or for always, in the sandbox.`;
}

const UNSEEN = "Changes in other files that it loads are not seen.";
const WITH_ALL = "with your files and network";

function decideCommand({ command = unknownCommand }: Action, situation: ActionSituation): ActionVerdict {
  const { mode, hasSandbox } = situation;
  if (mode === "read-only") return refuseReadOnly("runs a program");
  // A yes to an earlier command says nothing about one that names oldhand's own files.
  if (command.reachesHome === "named")
    return askOnce("This command could touch oldhand's own files, so it asks every time.");
  // A yes to a program says nothing about what a link leads to.
  if (command.linked !== undefined && command.secret !== undefined) return askOnce(command.linked);
  // As for the tools that read and change files, in the sandbox too: what git tracks is not hidden there.
  if (command.secret !== undefined && (mode !== "unattended" || hasSandbox))
    return withYesOutside(situation, secretReason(command.secret));
  const isNetworkKept = command.needsNetwork && !situation.sandboxHasNetwork;
  if (mode === "unattended") {
    if (!hasSandbox)
      return refuse("There is no sandbox on this machine, so commands are off in the mode unattended.", {
        remedy: SANDBOX_HINT,
        help: SANDBOX_HINT,
      });
    return isNetworkKept
      ? refuse("The command needs the network.", {
          remedy: `The owner can allow it: ${ALLOW_NETWORK}`,
          help: `To allow it: ${ALLOW_NETWORK}`,
        })
      : free;
  }
  if (mode === "edit" && hasSandbox && !isNetworkKept) return free;
  if (command.linked !== undefined) return askOnce(command.linked);
  if (mode === "edit" && command.isReading) return free;
  if (!hasSandbox && command.reachesHome === "unknown")
    return askOnce("Without a sandbox, this command could touch oldhand's own files, so it asks every time.");
  if (command.contacts !== undefined && !situation.sandboxHasNetwork)
    return withYesOutside(situation, `It may contact ${command.contacts}.`);
  if (isNetworkKept) return withYesOutside(situation, "It runs a program with access to the network.");
  return withYes(
    situation,
    command.contacts === undefined ? "It runs a program." : `It may contact ${command.contacts}.`,
  );
}

export const SANDBOX_HINT =
  "Install bubblewrap (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap).";

const ALLOW_NETWORK = "oldhand config set chat.sandboxNetwork true";

const unknownCommand: CommandTraits = { isReading: false, reachesHome: "unknown", needsNetwork: false };

/** Runs with an earlier yes. Without a person, only a yes for always counts. */
function withYes({ mode, hasPerson, standing }: ActionSituation, reason: string): ActionVerdict {
  const isAttended = hasPerson && mode !== "unattended";
  if (standing === "always" || (standing === "session" && isAttended)) return { kind: "run", because: "standing" };
  return ask(reason);
}

/**
 * For a command that the sandbox hides something from. A yes for more than one call lets it out, but not after a change of what
 * it runs: the program is then another than the one that was approved.
 */
function withYesOutside(situation: ActionSituation, reason: string): ActionVerdict {
  const { standingOutside = null } = situation;
  if (standingOutside === null) return { ...ask(reason), isOutside: true };
  const { reach, changed } = standingOutside;
  if (changed !== null)
    return { ...ask(`${changed} since your last yes to it, and may decide what it runs.`), isOutside: true };
  const verdict = withYes({ ...situation, standing: reach }, reason);
  return verdict.kind === "refuse" ? verdict : { ...verdict, isOutside: true };
}

const free: ActionVerdict = { kind: "run", because: "free" };

function ask(reason: string): Extract<ActionVerdict, { kind: "ask" }> {
  return { kind: "ask", reason };
}

function askOnce(reason: string): ActionVerdict {
  return { kind: "ask", reason, isOnceOnly: true };
}

function refuse(reason: string, texts: Pick<RefusalTexts, "remedy" | "help">): ActionVerdict {
  return { kind: "refuse", reason, ...texts };
}

function refuseReadOnly(what: string): ActionVerdict {
  return refuse(`It ${what}, and the mode is read-only.`, READ_ONLY);
}

const READ_ONLY = {
  remedy: "The owner can choose another mode: ask, edit or unattended.",
  help: "Another mode allows it: ask, edit or unattended.",
};

function secretReason(target: string): string {
  return `${target} may hold passwords or keys.`;
}
