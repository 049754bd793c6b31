import type { Context } from "../../context.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { CallControl } from "../../domain/rule/delivery.ts";
import type { Policy } from "../../domain/policy.ts";
import type { Answer, Moment, HookEvent } from "./hook-event.ts";

/** A product whose agent we observe: one folder, one line in the list. */
export interface Host {
  readonly name: string;
  readonly title: string;
  /** Whether it was run against the real product; else all that is known of it is its documentation. */
  readonly verified: boolean;
  /** Loaded for the one host that fired: what the others need costs this one nothing. */
  protocol(): Promise<Protocol>;
  /** Loaded only by who installs or imports: a hook needs neither. */
  setup(): Promise<Setup>;
}

/** The hook's protocol. Never throws on a payload it does not understand: what cannot be read is nothing seen. */
export interface Protocol {
  readonly contextLimits: ContextLimits;
  readonly calls: CallControl;
  /** The moments at which the host shows its person a line of ours; absent where it has no such way, or none that was seen to work. */
  readonly personMoments?: readonly Moment[];
  decode(payload: unknown, env: Readonly<Record<string, string | undefined>>): readonly HookEvent[];
  /** What to print; empty prints nothing. */
  encode(event: HookEvent, answer: Answer): string;
  /**
   * What to print where there is nothing to say, for a host that takes nothing for a no. It is said whatever became of
   * us, so the payload may be one that was not understood, or undefined where it could not be read at all.
   */
  defaultReply?(payload: unknown): string;
  /** Brings in what no hook tells, from the host's own record of the session. Takes a bounded time, and goes on from there the next time. */
  readNewTranscriptLines?(ctx: TranscriptContext, event: HookEvent): Promise<void>;
}

/**
 * Where a text reaches the host's model, and how many characters of it. What is due at a moment that is not here waits
 * for the next that is.
 */
export type ContextLimits = Readonly<Partial<Record<Moment, number>>>;

/** Longer than anything that is said, for hosts of which no bound is known. */
export const UNBOUNDED = 40_000;

export type TranscriptContext = Pick<Context, "db" | "clock" | "config">;

export interface Setup {
  /** Whether the product seems to be on this machine, and where its files are. */
  detect(target: InstallTarget): DetectedHost | null;
  /** What installing would write, as whole files: shown first, then written by one hand. */
  plan(target: InstallTarget): readonly PlannedFile[];
  /** A file's text without what installing put there, for files that others wrote to since. Null: it cannot be read. */
  without?(text: string): string | null;
  /** Where it takes MCP servers from; ours is written there with the rest. */
  readonly mcp?: McpConfig;
  /** What its user can type to decide about rules: files of its user's own, never of a repository. */
  commands?(target: InstallTarget): readonly CommandFile[];
  /** The files in a workspace from which its agent reads rules. */
  rulesFiles?(workspace: string): readonly RulesFile[];
  /** Files besides those that installing writes in which hooks of ours may stand, written by hand or by an older oldhand. */
  hookFiles?(target: InstallTarget): readonly string[];
  /** What only the host knows about hooks of ours that are installed: that its user has yet to allow them, say. */
  findings?(target: InstallTarget): readonly Finding[];
  /** What the host would tell of one thing that leaves an event, a call that went well say, in its own words: for the self-test after installing. */
  probe?(session: { readonly session: string; readonly cwd: string }): unknown;
  /** Transcripts that are there to be imported, oldest first. */
  transcripts(target: InstallTarget): readonly string[];
  /** Whether a file that begins with this record is one of them. */
  isTranscript?(first: Readonly<Record<string, unknown>>): boolean;
  /** Reads one line or record of a transcript after the other. */
  readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem>;
  /** The same for one line after the other, where lines are all there is: what a large file is read with. */
  lineReader?(policy: Policy["observe"]): (line: Buffer) => readonly TranscriptItem[];
}

export type TranscriptItem = Omit<NewEvent, "workspace"> & {
  /** Where the record itself names it; else it follows from the folder. */
  readonly workspace?: string | null;
};

export interface InstallTarget {
  /** The user's home folder. */
  readonly userHome: string;
  /** The mind's home: what a host needs to run us may be put there. */
  readonly home: string;
  /** One repository only, instead of everywhere. */
  readonly project: string | null;
  /** The folder somebody works in now: settings there may stand above its user's. */
  readonly near?: string;
  /** For everybody who works on that repository: nothing of this machine may stand in what is written. */
  readonly team?: boolean;
  /** The program and its arguments that a hook runs. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

export interface DetectedHost {
  readonly version: string | null;
  readonly folder: string;
}

/** The ways in which a host and oldhand can be joined. */
export const integrationWays = ["hooks", "plugin", "mcp", "commands", "rules file", "transcripts"] as const;
export type IntegrationWay = (typeof integrationWays)[number];

/** The file in which a host has its MCP servers, and how one of them is written there. */
export interface McpConfig {
  /** Null where it has none: of one repository, say. */
  path(target: InstallTarget): string | null;
  /** The text with our server in it; the same text where it is there already. Null: it cannot be read, or the name is taken. */
  with(text: string, target: InstallTarget): string | null;
  /** The text without our server. Null: it cannot be read. */
  without(text: string): string | null;
  /** Whether a server of our name stands there that we did not write: its user's, and left as it is. */
  isTaken(text: string): boolean;
}

/** A command for a host's user, as a file that the host reads. */
export interface CommandFile {
  readonly path: string;
  readonly text: string;
  /** What its user types; absent for a file that belongs to another. */
  readonly typed?: string;
}

export interface RulesFile {
  /** Below the workspace, its parts joined by `/`. */
  readonly path: string;
  /** What a file that we make begins with, where its host asks for it. */
  readonly head?: string;
  /** Instead of rules: the lines of a settings file by which the host comes to read them. */
  readonly setting?: string;
  /** What its user has to do before the host reads it. */
  readonly note?: string;
}

/** A file as it shall be. `before` is what is there now; null where there is none. */
export interface PlannedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly why: string;
  /** By which way it joins the host to us; hooks where nothing is said. */
  readonly way?: IntegrationWay;
}

/** Shadowed: they are there, and another setting keeps them from running. */
export type HookProblem = "missing" | "stale" | "shadowed" | "untrusted" | "never fired" | "silent";

/** Something to tell about how things stand; `hint` is what to do about it. */
export interface Finding {
  readonly level: "ok" | "note" | "problem";
  /** What is the matter with a host's hooks; absent where it is something else. */
  readonly about?: HookProblem;
  readonly what: string;
  readonly hint: string | null;
}
