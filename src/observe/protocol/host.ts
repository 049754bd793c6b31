import type { Context } from "../../context.ts";
import type { LogAccess } from "../../domain/advice/reminder.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { CallControl } from "../../domain/rule/delivery/delivery.ts";
import type { Policy } from "../../domain/policy.ts";
import type { Reply, Moment, HookEvent } from "./hook-event.ts";

/** A product whose agent we observe: one folder, one line in the list. */
export interface Host {
  readonly name: string;
  readonly title: string;
  /** True if it was tested with the real product; otherwise it is written from documentation only. */
  readonly verified: boolean;
  /** Loaded only for the host that called, so that the other hosts cost nothing. */
  protocol(): Promise<Protocol>;
  /** Loaded only to install or import; hooks do not need it. */
  setup(): Promise<Setup>;
}

/** The protocol of a host's hooks. Must not throw on an unknown payload: it is ignored. */
export interface Protocol {
  readonly contextLimits: ContextLimits;
  readonly calls: CallControl;
  /**
   * The moments at which the host shows our line to its person; absent if it cannot, or if that was never seen to
   * work.
   */
  readonly personMoments?: readonly Moment[];
  /** How its agent can save something; absent: what is found on this machine. */
  readonly logAccess?: LogAccess;
  decode(payload: unknown, env: Readonly<Record<string, string | undefined>>): readonly HookEvent[];
  /** Returns what to print; empty prints nothing. */
  encode(event: HookEvent, reply: Reply): string;
  /**
   * What to print if there is nothing to say, for a host that takes an empty reply as a refusal. Printed even after
   * an error, so the payload may be invalid, or undefined if it could not be read.
   */
  defaultReply?(payload: unknown): string;
  /**
   * Stores what no hook reports, from the host's own record of the session. Takes a limited time, and continues there
   * next time.
   */
  readNewTranscriptLines?(ctx: TranscriptContext, event: HookEvent): Promise<void>;
}

/**
 * The moments at which a text reaches the host's model, with the maximum number of characters. What is due at another
 * moment waits for the next of these.
 */
export type ContextLimits = Readonly<Partial<Record<Moment, number>>>;

/** Longer than any text we send, for hosts without a known limit. */
export const UNBOUNDED = 40_000;

export type TranscriptContext = Pick<Context, "db" | "clock" | "config">;

export interface Setup {
  /** Where the product's files are; null if it seems not to be on this machine. */
  detect(target: InstallTarget): DetectedHost | null;
  /** The files that installing writes, complete. They are shown first; the caller writes them. */
  plan(target: InstallTarget): readonly PlannedFile[];
  /**
   * A file's text without what installing added, for files that others have changed since. Null if it cannot be
   * parsed.
   */
  without?(text: string): string | null;
  /** Where it reads MCP servers from; install adds ours there. */
  readonly mcp?: McpConfig;
  /** Commands with which the user decides about rules: files of the user, never of a repository. */
  commands?(target: InstallTarget): readonly CommandFile[];
  /** The files in a workspace from which its agent reads rules. */
  rulesFiles?(workspace: string): readonly RulesFile[];
  /** Other files in which hooks of ours may be, written by hand or by an older oldhand. */
  hookFiles?(target: InstallTarget): readonly string[];
  /** What only the host knows about our installed hooks, for example that its user has yet to allow them. */
  findings?(target: InstallTarget): readonly Finding[];
  /**
   * A payload as the host would send it for something that is stored, such as a successful call; for the self-test
   * after installing.
   */
  probe?(session: { readonly session: string; readonly cwd: string }): unknown;
  /** Transcripts that can be imported, oldest first. */
  transcripts(target: InstallTarget): readonly string[];
  /** True if a file that begins with this record is a transcript of this host. */
  isTranscript?(first: Readonly<Record<string, unknown>>): boolean;
  /** Yields the items of a transcript. */
  readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem>;
  /** The same as a function of one line at a time, for formats that need only the lines; used for large files. */
  lineReader?(policy: Policy["observe"]): (line: Buffer) => readonly TranscriptItem[];
}

export type TranscriptItem = Omit<NewEvent, "workspace"> & {
  /** Set if the record itself names it; otherwise it is derived from the cwd. */
  readonly workspace?: string | null;
};

export interface InstallTarget {
  /** The user's home folder. */
  readonly userHome: string;
  /** The mind's home; files that a host needs to run us may be put there. */
  readonly home: string;
  /** Only this repository; null: everywhere. */
  readonly project: string | null;
  /** The current folder: settings there may override the user's. */
  readonly near?: string;
  /** For everybody who works on that repository: written files must not contain anything specific to this machine. */
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

/** The ways in which a host and oldhand can be connected. */
export const integrationWays = ["hooks", "plugin", "mcp", "commands", "rules file", "transcripts"] as const;
export type IntegrationWay = (typeof integrationWays)[number];

/** The file with a host's MCP servers, and how an entry is written there. */
export interface McpConfig {
  /** Null if there is none, for example for a repository. */
  path(target: InstallTarget): string | null;
  /** The text with our server; unchanged if it is already there. Null if it cannot be parsed or the name is taken. */
  with(text: string, target: InstallTarget): string | null;
  /** The text without our server. Null if it cannot be parsed. */
  without(text: string): string | null;
  /** True if a server with our name exists that we did not write; it is the user's and left as it is. */
  isTaken(text: string): boolean;
}

/** A command for a host's user, as a file that the host reads. */
export interface CommandFile {
  readonly path: string;
  readonly text: string;
  /** What the user types; absent for a file that belongs to another command file. */
  readonly typed?: string;
}

export interface RulesFile {
  /** Relative to the workspace, separated by `/`. */
  readonly path: string;
  /** The beginning of a file that we create, if the host requires one. */
  readonly head?: string;
  /** Instead of rules: the lines of a settings file that make the host read them. */
  readonly setting?: string;
  /** What the user has to do before the host reads it. */
  readonly note?: string;
}

/** A file to write. `before` is the current text; null if it does not exist. */
export interface PlannedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly why: string;
  /** The way it connects the host; hooks if absent. */
  readonly way?: IntegrationWay;
}

/** Shadowed: installed, but another setting prevents them from running. */
export type HookProblem = "missing" | "stale" | "shadowed" | "untrusted" | "never fired" | "silent";

/** A result of a check; `hint` is what to do about it. */
export interface Finding {
  readonly level: "ok" | "note" | "problem";
  /** What is wrong with a host's hooks; absent if the finding is about something else. */
  readonly about?: HookProblem;
  readonly what: string;
  readonly hint: string | null;
}
