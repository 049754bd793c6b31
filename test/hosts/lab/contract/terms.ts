import type { Event } from "../../../../src/domain/event/event.ts";
import type { ScriptedTurn } from "../../../../src/testing/scripted-server.ts";
import type { Driver, DrivenHost } from "../driven.ts";
import type { Lab, SessionRecord } from "../lab.ts";

/** What a test does not ask of a host, and why. */
export interface Skip {
  readonly skip: string;
}

/** What the tests that every host shares must know of one. */
export interface HostContract {
  readonly title: string;
  /** With the files of others in its user's home, which must stay as they are. */
  readonly host: DrivenHost;
  /** What its session does after it did `working` and `failing`. Every call is to be stored once. */
  readonly turns: readonly ScriptedTurn[];
  /** Rules for these turns, as words after `oldhand learn`. */
  readonly rules?: readonly (readonly string[])[];
  /** How its requests show that oldhand is among its MCP servers. */
  readonly mcp: string | Skip;
  readonly stdout?: RegExp;
  /** What it would print of a hook or plugin that went wrong. */
  readonly complaint: RegExp;
  readonly complaintOnStdout?: RegExp;
  /** How a request shows that a hook ran, even where oldhand said nothing. */
  readonly mention?: RegExp;
  /** Whether its processes all end with it. */
  readonly leavesNoProcess?: Skip;
  /** Whether it tells that its session ends; some do not wait for what they tell. */
  readonly end?: "told" | "not told" | "perhaps told";
  /** The prompt as it tells of it. */
  readonly prompt?: string;
  readonly calls: {
    readonly uid?: RegExp;
    /** As it tells of a call in its shell, where that is not as its model made it. */
    stored?(command: string): { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
    /** What is known of `working` and of `failing` beside what is known on every host. */
    readonly worked?: object;
    readonly failed?: object;
  };
  readonly note: {
    /** The request that has the note on `failing`. */
    readonly request?: 2 | 3;
    /** Whether it is in the result of the call, or anywhere in the request. */
    readonly place: "result" | "request";
    /** How the host puts it. */
    around?(text: string): string;
    /** How many of its turns' calls have a note too. */
    readonly others?: number;
  };
  /** How its model reads that a rule denied a call. */
  readonly refusal: RegExp | Skip;
  /** Where nobody can be asked, a rule that asks denies. */
  readonly asks?: "denies";
  readonly records: Records | Skip;
  /** The first request that has what is said at a session's start. */
  readonly startAt?: 0 | 1;
  /** Its plugin's file below the home: one that finds no oldhand must not stop the host. */
  readonly plugin?: string;
  /** Files and folders of the home that are after uninstalling as they were before installing. */
  readonly files: readonly string[];
  /** For files that change otherwise: looks at them before uninstalling, and returns the check of what is there after. */
  uninstalling?(lab: Lab): () => void;
  /** The file that wires one repository, what it then holds, and what the installer says. */
  readonly project: { readonly file: string; readonly holds: string; readonly says?: string } | Skip;
}

/** What a host itself records of its sessions. */
export interface Records {
  /** The words after `oldhand import`, for each of them. */
  words(lab: Lab): readonly (readonly string[])[];
  /** How many failures the session of the contract has there. */
  readonly failures: number;
}

/** The session of the contract, for tests of what only one host does. Filled in before they run. */
export interface Contract extends Driver {
  readonly lab: Lab;
  readonly session: SessionRecord;
  readonly events: readonly Event[];
  /** The id of the rule against `failing`. */
  readonly rule: string;
  /** The first event whose input has this text. */
  call(text: string): Event | undefined;
}

export const PROMPT = "push my branch";
export const WORKING = "echo all is well";
export const FAILING = "git psuh origin main";
export const ADVICE = "Push with `git push`; psuh is a slip.";
export const LAST = "I give up.";

/** What a session does on every host: what goes well, what fails. */
export function working(host: Pick<DrivenHost, "shell">): ReturnType<DrivenHost["shell"]> {
  return host.shell(WORKING);
}

export function failing(host: Pick<DrivenHost, "shell">): ReturnType<DrivenHost["shell"]> {
  return host.shell(FAILING);
}
