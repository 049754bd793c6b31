/** What the HTTP API answers. Everything in here was written by others: it is shown as text only. */
export type Operations = {
  readonly status: { readonly input: Record<string, never>; readonly output: Status };
  readonly "hosts/list": {
    readonly input: Record<string, never>;
    readonly output: { readonly hosts: readonly Host[] };
  };
  readonly "sessions/live": {
    readonly input: Record<string, never>;
    readonly output: { readonly sessions: readonly LiveSession[] };
  };
  readonly "sessions/list": { readonly input: SessionsQuery; readonly output: SessionPage };
  readonly "sessions/show": { readonly input: EventsQuery; readonly output: EventPage };
  readonly report: { readonly input: ReportQuery; readonly output: Report };
  readonly "rules/list": {
    readonly input: Record<string, never>;
    readonly output: readonly Rule[];
  };
  readonly history: { readonly input: HistoryQuery; readonly output: HistoryPage };
  readonly undo: { readonly input: { readonly id: Id }; readonly output: UndoAnswer };
};

export type Operation = keyof Operations;
export type Input<O extends Operation> = Operations[O]["input"];
export type Output<O extends Operation> = Operations[O]["output"];

/** Numbers or words: passed back as it came. */
export type Id = string | number;

export type Problem = {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
};

export type Answer<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly problem: Problem };

export type Status = {
  readonly version: string;
  readonly home: string;
  readonly store: "sqlite" | "postgres";
  readonly off: boolean;
  readonly counts: {
    readonly sessions: number;
    readonly events: number;
    readonly failures: number;
    readonly rules: number;
  };
  readonly hosts: readonly HostPulse[];
};

export type HostPulse = {
  readonly host: string;
  readonly lastFiredAt: string | null;
  readonly events: number;
};

export type Host = {
  readonly host: string;
  readonly title: string;
  readonly found: boolean;
  readonly installed: boolean;
  readonly verified: boolean;
  readonly state: HostState;
  readonly ways: readonly { readonly way: string; readonly wired: boolean | null }[];
  readonly lastAt: string | null;
  readonly events: number;
  readonly findings: readonly Finding[];
};

export type HostState = "watching" | "installed, never heard" | "silent" | "not installed" | "no hooks" | "not here";

export type Finding = {
  readonly level: "ok" | "note" | "problem";
  readonly what: string;
  readonly hint: string | null;
};

export type SessionsQuery = {
  readonly limit?: number;
  readonly host?: string;
  readonly workspace?: string;
  readonly failing?: boolean;
  readonly before?: string;
};

export type SessionPage = { readonly sessions: readonly Session[]; readonly more: boolean };

export type Session = {
  readonly id: string;
  readonly host: string;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly startedAt: string;
  readonly lastAt: string;
  readonly events: number;
  readonly failures: number;
  readonly live: boolean;
};

export type LiveSession = Omit<Session, "live"> & {
  readonly liveUntil: string;
  readonly last: Pick<SessionEvent, "seq" | "at" | "kind" | "tool" | "summary" | "outcome" | "benign"> | null;
};

export type EventsQuery = {
  readonly id: string;
  readonly limit?: number;
  /** Only events whose `seq` is greater. */
  readonly after?: number;
};

export type EventPage = {
  readonly session: Session;
  readonly events: readonly SessionEvent[];
  readonly more: boolean;
};

export type EventKind = "session-start" | "prompt" | "call" | "stop" | "session-end" | "correction";

export type Outcome = "ok" | "failed" | "denied" | "rejected" | "interrupted" | "cascade";

export type SessionEvent = {
  readonly id: Id;
  readonly seq: number;
  readonly at: string;
  readonly kind: EventKind;
  readonly tool: string | null;
  readonly summary: string;
  readonly input: unknown;
  readonly outcome: Outcome | null;
  readonly benign: boolean;
  readonly error: string | null;
  readonly signature: string | null;
  readonly durationMs: number | null;
  readonly text: string | null;
};

export type ReportQuery = { readonly limit?: number; readonly workspace?: string };

export type Report = {
  readonly totals: {
    readonly sessions: number;
    readonly events: number;
    readonly failures: number;
    readonly repeated: number;
  };
  readonly mistakes: readonly Mistake[];
};

export type Mistake = {
  readonly signature: string;
  readonly text: string;
  readonly tool: string | null;
  readonly head: string | null;
  readonly count: number;
  readonly sessions: number;
  readonly workspaces: readonly string[];
  readonly hosts: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly cost: { readonly calls: number; readonly minutes: number; readonly tokens: number };
  readonly evidence: readonly Evidence[];
  readonly recovery: { readonly summary: string; readonly times: number } | null;
  readonly rule: Pick<Rule, "id" | "text" | "status" | "level"> | null;
};

export type Evidence = {
  readonly ref: { readonly session: string; readonly seq: number };
  readonly at: string;
  readonly summary: string;
  readonly error: string | null;
};

export type Rule = {
  readonly id: string;
  readonly text: string;
  readonly status: string;
  readonly level: string;
  readonly confidence: number;
  readonly salience: number;
  readonly origin: string;
  readonly scope: unknown;
  readonly signature: string | null;
  readonly matcher: unknown;
  readonly evidence: {
    readonly observations: number;
    readonly sessions: number;
    readonly first: string | null;
    readonly last: string | null;
  };
};

/** `before` is the id of a change. */
export type HistoryQuery = { readonly limit?: number; readonly before?: Id };

export type HistoryPage = { readonly changes: readonly Change[] };

export type Change = {
  readonly id: Id;
  readonly at: string;
  readonly actor: string;
  readonly cause: {
    readonly kind: string;
    readonly id: string | null;
    readonly note: string | null;
  };
  readonly noun: string;
  readonly subject: string;
  readonly summary: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly undoes: Id | null;
  readonly undoneBy: Id | null;
  /** Its contents were forgotten: there is nothing to show and nothing to undo. */
  readonly scrubbed?: boolean;
};

export type UndoAnswer = { readonly change: Change };
