import type { Event } from "../../../../src/domain/event/event.ts";
import type { ScriptedTurn } from "../../../../src/testing/scripted-server.ts";
import type { Driver, DrivenHost } from "../driven.ts";
import type { Lab, SessionRecord } from "../lab.ts";

/** Why a test is skipped for a host. */
export interface Skip {
  readonly skip: string;
}

/** What the common tests need to know about a host. */
export interface HostContract {
  readonly title: string;
  /** Its home contains files of other products, which must not change. */
  readonly host: DrivenHost;
  /** The session's turns after `working` and `failing`. Every call must be stored once. */
  readonly turns: readonly ScriptedTurn[];
  /** Rules for these turns, as arguments of `oldhand learn`. */
  readonly rules?: readonly (readonly string[])[];
  /** Text in its requests that shows that oldhand is one of its MCP servers. */
  readonly mcp: string | Skip;
  readonly stdout?: RegExp;
  /** What it prints if a hook or plugin fails. */
  readonly complaint: RegExp;
  readonly complaintOnStdout?: RegExp;
  /** Text in a request that shows that a hook ran, even if oldhand showed nothing. */
  readonly mention?: RegExp;
  /** Set if some of its processes outlive it. */
  readonly leavesNoProcess?: Skip;
  /** Whether it reports the end of its session; some do not wait until the report is sent. */
  readonly end?: "told" | "not told" | "perhaps told";
  /** The prompt as the host reports it. */
  readonly prompt?: string;
  readonly calls: {
    readonly uid?: RegExp;
    /** A shell call as the host reports it, if that differs from the model's call. */
    stored?(command: string): { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
    /** Further expected fields of `working` and `failing`. */
    readonly worked?: object;
    readonly failed?: object;
  };
  readonly note: {
    /** The index of the request with the note on `failing`. */
    readonly request?: 2 | 3;
    /** Whether the note is in the call's result or anywhere in the request. */
    readonly place: "result" | "request";
    /** The host's text around the note. */
    around?(text: string): string;
    /** How many of its own turns' calls have a note too. */
    readonly others?: number;
  };
  /** How its model reads that a rule denied a call. */
  readonly refusal: RegExp | Skip;
  /** Set if nobody can be asked: then a rule that asks denies. */
  readonly asks?: "denies";
  readonly records: Records | Skip;
  /** The index of the first request with the advice of session start. */
  readonly startAt?: 0 | 1;
  /** The plugin's file below the home: if it finds no oldhand, it must not stop the host. */
  readonly plugin?: string;
  /** Files and folders of the home that must be the same after uninstalling as before installing. */
  readonly files: readonly string[];
  /** For other files: reads them before uninstalling and returns a check to run afterwards. */
  uninstalling?(lab: Lab): () => void;
  /** The file that connects one repository, what it then contains, and what the installer prints. */
  readonly project: { readonly file: string; readonly holds: string; readonly says?: string } | Skip;
}

/** A host's own records of its sessions. */
export interface Records {
  /** The arguments of `oldhand import`, for each record. */
  words(lab: Lab): readonly (readonly string[])[];
  /** How many failures they have for the session of the contract. */
  readonly failures: number;
}

/** The session of the contract, for a host's own tests. Filled in before they run. */
export interface Contract extends Driver {
  readonly lab: Lab;
  readonly session: SessionRecord;
  readonly events: readonly Event[];
  /** The id of the rule against `failing`. */
  readonly rule: string;
  /** The first event whose input contains this text. */
  call(text: string): Event | undefined;
}

export const PROMPT = "push my branch";
export const WORKING = "echo all is well";
export const FAILING = "git psuh origin main";
export const ADVICE = "Push with `git push`; psuh is a slip.";
export const LAST = "I give up.";

/** The calls of every host's session: one that works, one that fails. */
export function working(host: Pick<DrivenHost, "shell">): ReturnType<DrivenHost["shell"]> {
  return host.shell(WORKING);
}

export function failing(host: Pick<DrivenHost, "shell">): ReturnType<DrivenHost["shell"]> {
  return host.shell(FAILING);
}
