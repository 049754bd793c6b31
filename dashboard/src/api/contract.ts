import type { FileDrift, Growth, Proposal, Soul, SoulEdit } from "./identity-contract.ts";
import type { MemoriesQuery, Memory, MemoryDecision, MemoryEdit, Piece, RecallQuery } from "./memory-contract.ts";

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
  readonly "rules/show": { readonly input: ById; readonly output: Rule };
  readonly "rules/why": { readonly input: ById; readonly output: RuleWhy };
  readonly "rules/backtest": { readonly input: ById; readonly output: BacktestReplay };
  readonly "rules/effect": { readonly input: ById; readonly output: EffectReport };
  readonly "rules/shown": { readonly input: ShownQuery; readonly output: { readonly shown: readonly Shown[] } };
  readonly "rules/approve": { readonly input: ById; readonly output: RuleDecision };
  readonly "rules/reject": { readonly input: ById; readonly output: RuleDecision };
  readonly "rules/retire": { readonly input: ById; readonly output: RuleDecision };
  readonly "rules/pin": { readonly input: ById; readonly output: RuleDecision };
  readonly "rules/unpin": { readonly input: ById; readonly output: RuleDecision };
  readonly "rules/edit": { readonly input: RuleEdit; readonly output: RuleDecision };
  readonly override: {
    readonly input: { readonly id: string; readonly reason?: string };
    readonly output: { readonly override: string; readonly rule: string };
  };
  readonly "ledger/list": { readonly input: LedgerQuery; readonly output: Ledger };
  readonly mistake: { readonly input: NewMistake; readonly output: Entered };
  readonly win: { readonly input: NewWin; readonly output: Entered };
  readonly recall: { readonly input: RecallQuery; readonly output: { readonly pieces: readonly Piece[] } };
  readonly "memories/list": {
    readonly input: MemoriesQuery;
    readonly output: { readonly memories: readonly Memory[] };
  };
  readonly "memories/confirm": { readonly input: ById; readonly output: MemoryDecision };
  readonly "memories/contradict": { readonly input: ById; readonly output: MemoryDecision };
  readonly "memories/archive": { readonly input: ById; readonly output: MemoryDecision };
  readonly "memories/edit": { readonly input: MemoryEdit; readonly output: MemoryDecision };
  readonly "memories/vouch": { readonly input: ById; readonly output: MemoryDecision };
  readonly "soul/show": { readonly input: Record<string, never>; readonly output: Soul };
  readonly "soul/edit": {
    readonly input: SoulEdit;
    readonly output: { readonly file: string; readonly path: string; readonly change: Change | null };
  };
  readonly "soul/proposals": {
    readonly input: { readonly all?: boolean };
    readonly output: { readonly proposals: readonly Proposal[] };
  };
  readonly "soul/accept": {
    readonly input: ById;
    readonly output: { readonly proposal: Proposal; readonly changes: readonly Change[] };
  };
  readonly "soul/reject": {
    readonly input: { readonly id: string; readonly reason?: string };
    readonly output: Proposal & { readonly change: Change | null };
  };
  readonly "soul/drift": {
    readonly input: Record<string, never>;
    readonly output: { readonly files: readonly FileDrift[] };
  };
  readonly "soul/log": {
    readonly input: { readonly limit?: number };
    readonly output: { readonly entries: readonly Growth[] };
  };
  readonly at: {
    readonly input: { readonly time: string };
    readonly output: { readonly state: readonly Known[] };
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
  readonly matcherInWords: string | null;
  readonly pinned: boolean;
  readonly backtest: Backtest | null;
  readonly effect: Effect | null;
  readonly evidence: {
    readonly observations: number;
    readonly sessions: number;
    readonly first: string | null;
    readonly last: string | null;
    readonly hosts: readonly string[];
    readonly versions: readonly { readonly host: string; readonly lowest: string; readonly highest: string }[] | null;
  };
  /** The releases of its hosts for which it has faded. */
  readonly doubt: Readonly<Record<string, string>> | null;
};

export type ById = { readonly id: string };

export type RuleEdit = { readonly id: string; readonly text?: string; readonly level?: string };

/** `change` is null where there was nothing to change. */
export type RuleDecision = { readonly rule: Rule; readonly change: Change | null };

export type RuleWhy = {
  readonly because: readonly (Omit<Evidence, "error"> & { readonly host: string })[];
  readonly changes: readonly Change[];
};

export type Backtest = {
  readonly opportunities: number;
  readonly fired: number;
  readonly hits: number;
  readonly falseAlarms: number;
  readonly precision: number;
  /** What the precision is at least, at 95 %. */
  readonly lower: number;
};

export type BacktestReplay = Backtest & {
  readonly ceiling: { readonly level: string; readonly reason: string };
  readonly sessions: { readonly met: number; readonly failed: number };
};

export type Arm = { readonly attempts: number; readonly opportunities: number };

export type Effect = {
  readonly before: Arm;
  readonly after: Arm;
  readonly heldOut: Arm;
  /** Attempts with the rule against those without: below one it helps. */
  readonly ratio: number | null;
  readonly interval: readonly [number, number] | null;
  readonly verdict: string;
  readonly reason: string;
};

export type EffectReport = Effect & { readonly since: string; readonly byFamily: boolean };

export type ShownQuery = { readonly id?: string; readonly session?: string; readonly limit?: number };

export type Shown = {
  readonly at: string;
  readonly host: string;
  readonly session: string;
  readonly rule: string;
  readonly text: string | null;
  readonly moment: string;
  readonly level: string;
  readonly tokens: number;
  readonly broken: boolean | null;
};

export type LedgerQuery = { readonly pattern?: string; readonly limit?: number };

export type Ledger = { readonly patterns: readonly Standing[]; readonly entries: readonly LedgerEntry[] };

export type Standing = {
  readonly pattern: string;
  readonly mistakes: number;
  readonly wins: number;
  readonly balance: number;
  readonly streak: { readonly kind: "mistake" | "win"; readonly length: number };
  readonly quietDays: number | null;
  readonly worst: string | null;
  readonly surprise: number | null;
};

export type LedgerEntry = {
  readonly kind: "mistake" | "win";
  readonly id: string;
  readonly at: string;
  readonly what: string;
  readonly why: string;
  readonly pattern: string;
  readonly origin: string;
  readonly session: string | null;
  readonly workspace: string | null;
  readonly expectation: { readonly prediction: string; readonly outcome: string; readonly surprise: number } | null;
  readonly shouldHave: string | null;
  readonly severity: string | null;
  readonly signal: string | null;
};

export type NewWin = { readonly what: string; readonly why: string; readonly pattern: string };

export type NewMistake = NewWin & {
  readonly shouldHave: string;
  readonly signal: string;
  readonly severity: string;
};

export type Entered = { readonly entry: LedgerEntry; readonly change: Id; readonly near: readonly string[] };

/** Something as it was at a time. */
export type Known = { readonly noun: string; readonly id: string; readonly state: unknown };

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
