/** Input and answer of every operation, by its name, without a word of zod. Made by `node scripts/make-docs.mjs` from the table of operations; do not edit. */

export type Arm = {
  attempts: number;
  opportunities: number;
};

export type Backtest = {
  opportunities: number;
  fired: number;
  hits: number;
  falseAlarms: number;
  precision: number;
  lower: number;
};

export type Change = {
  id: number;
  at: string;
  actor: string;
  cause: {
    kind: string;
    id: string | null;
    note: string | null;
  };
  noun: string;
  subject: string;
  summary: string;
  before: unknown;
  after: unknown;
  undoes: number | null;
  undoneBy: number | null;
  scrubbed: boolean;
};

export type Cost = {
  calls: number;
  minutes: number;
  tokens: number;
};

export type DayFigures = {
  /** calls that failed */
  failed: number;
  /** of those, calls that failed in a way that was seen before */
  repeated: number;
  /** calls that were refused once, with the rule */
  held: number;
  /** calls that the user was asked about */
  asked: number;
  /** calls that a rule denied */
  denied: number;
  /** rules and facts that came as a note with a call */
  noted: number;
  /** failed calls that were answered */
  answered: number;
  /** of those, answers that a later call used */
  used: number;
  /** mistakes that were not made again: rules that a session kept to after it was told, and answers that were used */
  avoided: number;
  /** rules that were mined */
  learned: number;
};

export type Entered = {
  entry: LedgerEntry;
  change: number;
  standing: PatternStanding;
  near: string[];
  /** said where an agent wrote it and nobody knows in which session */
  note: string | null;
};

export type Fact = {
  id: string;
  workspace: string;
  kind: "missing-path" | "is-folder" | "too-large" | "missing-program" | "unknown-script" | "unknown-remote";
  subject: string;
  text: string;
  /** what worked in its place, where the records show that */
  instead: string | null;
  first: string;
  last: string;
  /** how many met it */
  sessions: number;
  /** the call that showed it last */
  ref: {
    session: string;
    seq: number;
  } | null;
  /** calls that it came with */
  told: {
    calls: number;
    /** of those calls, how many failed all the same */
    failed: number;
  };
  /** the same calls in sessions that are told nothing, to compare */
  control: {
    calls: number;
    /** of those calls, how many failed all the same */
    failed: number;
  };
};

export type FollowedEvent = {
  id: number;
  at: string;
  host: string;
  session: string;
  workspace: string | null;
  seq: number;
  kind: "session-start" | "prompt" | "answer" | "call" | "correction" | "stop" | "session-end";
  tool: string | null;
  summary: string;
  outcome: "ok" | "failed" | "denied" | "rejected" | "interrupted" | "cascade" | null;
  benign: boolean;
};

export type Host = {
  host: string;
  title: string;
  /** the product seems to be on this machine */
  found: boolean;
  /** our hooks are in place */
  installed: boolean;
  /** tried against the real product */
  verified: boolean;
  state: "watching" | "installed, never heard" | "silent" | "not installed" | "no hooks" | "not here";
  /** how it can be joined to oldhand; wired is null where nothing has to be written on this machine */
  ways: {
    way: "hooks" | "plugin" | "mcp" | "commands" | "rules file" | "transcripts";
    wired: boolean | null;
  }[];
  /** the newest of its events, also of imported ones */
  lastAt: string | null;
  /** when a hook of it last fired on this machine */
  firedAt: string | null;
  events: number;
  findings: {
    level: "ok" | "note" | "problem";
    about?: "missing" | "stale" | "shadowed" | "untrusted" | "never fired" | "silent" | undefined;
    what: string;
    hint: string | null;
  }[];
};

export type IdentityProposal = {
  id: string;
  file: string;
  status: "open" | "accepted" | "rejected" | "refused";
  reason: string;
  origin: "owner" | "agent" | "tool" | "external";
  actor: string;
  rule: string | null;
  refusal: string | null;
  createdAt: string;
  diff: string;
};

export type Learned = {
  rule: Rule;
  /** null where nothing was written */
  change: Change | null;
  /** what it would and would not match; null without a command */
  preview: RulePreview | null;
};

export type LedgerEntry = {
  kind: "mistake" | "win";
  id: string;
  at: string;
  what: string;
  why: string;
  pattern: string;
  origin: "owner" | "agent" | "tool" | "external";
  session: string | null;
  workspace: string | null;
  expectation: {
    prediction: string;
    outcome: string;
    surprise: number;
  } | null;
  shouldHave: string | null;
  severity: "low" | "medium" | "high" | "critical" | null;
  signal: string | null;
};

export type LiveSession = {
  id: string;
  host: string;
  workspace: string | null;
  cwd: string | null;
  model: string | null;
  startedAt: string;
  lastAt: string;
  /** when it counts as quiet, if nothing more is heard */
  liveUntil: string;
  events: number;
  failures: number;
  /** what was seen of it last */
  last: {
    seq: number;
    at: string;
    kind: "session-start" | "prompt" | "answer" | "call" | "correction" | "stop" | "session-end";
    tool: string | null;
    summary: string;
    outcome: "ok" | "failed" | "denied" | "rejected" | "interrupted" | "cascade" | null;
    benign: boolean;
  } | null;
};

export type MaintenanceStep = {
  step: string;
  rule: string;
  text: string;
  reason: string;
  changes: Record<string, {
    from: unknown;
    to: unknown;
  }>;
};

export type Memory = {
  id: string;
  key: string;
  text: string;
  kind: "fact" | "preference" | "decision" | "learning" | "profile";
  category: "domain_knowledge" | "strategy" | "operational" | "meta" | null;
  importance: number;
  confidence: number;
  tags: string[];
  scope: {
    kind: "global" | "workspace" | "goal" | "agent";
    name: string | null;
  };
  origin: "owner" | "agent" | "tool" | "external";
  trust: "owner" | "agent" | "tool" | "external";
  supersedes: string[];
  pinned: boolean;
  status: "active" | "archived" | "superseded";
  /** why its words are kept from agents */
  blocked: string | null;
  createdAt: string;
  uses: number;
  confirmations: number;
  contradictions: number;
  lastUsedAt: string | null;
  lastConfirmedAt: string | null;
};

export type MemoryDecision = {
  memory: Memory;
  changes: Change[];
};

export type MistakeRule = {
  id: string | null;
  text: string;
  status: string;
  level: "watch" | "advise" | "nudge" | "ask" | "deny";
  scope: unknown;
  backtest: Backtest | null;
  /** null before its situation arose with it */
  verdict: "works" | "no effect" | "harmful" | "not enough data" | null;
  saved: {
    calls: number;
    minutes: number;
    tokens: number;
    low: Cost;
    high: Cost;
  } | null;
};

export type PatternStanding = {
  pattern: string;
  mistakes: number;
  wins: number;
  balance: number;
  streak: {
    kind: "mistake" | "win";
    length: number;
  };
  quietDays: number | null;
  worst: "low" | "medium" | "high" | "critical" | null;
  surprise: number | null;
};

export type RepeatedMistake = {
  signature: string;
  text: string;
  tool: string;
  head: string | null;
  count: number;
  sessions: number;
  workspaces: string[];
  hosts: string[];
  first: string;
  last: string;
  cost: Cost;
  evidence: {
    ref: {
      session: string;
      seq: number;
    };
    at: string;
    summary: string;
    error: string;
  }[];
  recovery: {
    summary: string;
    times: number;
  } | null;
  /** the rule there is, or the one that would be proposed */
  rule: MistakeRule | null;
  /** others that cover some of its calls, such as those of other projects */
  otherRules: MistakeRule[];
  /** why there is no rule; null where there is one */
  noRule: string | null;
};

export type Rule = {
  id: string;
  text: string;
  status: "candidate" | "approved" | "dormant" | "retired" | "rejected" | "merged";
  level: "watch" | "advise" | "nudge" | "ask" | "deny";
  confidence: number;
  salience: number;
  origin: "owner" | "agent" | "tool" | "external";
  scope: unknown;
  signature: string | null;
  matcher: unknown;
  /** the call it speaks against, as a person would say it */
  matcherInWords: string | null;
  pinned: boolean;
  evidence: {
    observations: number;
    sessions: number;
    first: string;
    last: string;
    /** whose sessions it was learned from */
    hosts: string[];
    /** the versions of those hosts, where they tell; null where nobody looked */
    versions: {
      host: string;
      lowest: string;
      highest: string;
    }[] | null;
    /** cited calls that were forgotten since */
    purged?: number | undefined;
  };
  /** the releases of its hosts that its evidence knows nothing of, since it faded for them */
  doubt: Record<string, string> | null;
  backtest: Backtest | null;
  effect: RuleEffect | null;
  /** of a rule that asks: hosts heard of that cannot ask, and how it comes there */
  unasked?: {
    host: string;
    delivery: "note" | "hold" | "ask" | "deny";
  }[] | undefined;
  /** how it comes with a call it warns against where the host can hold calls, and why; of one rule by itself */
  atCall?: {
    delivery: "note" | "hold";
    reason: string;
  } | undefined;
};

export type RuleDecision = {
  rule: Rule;
  change: Change | null;
};

export type RuleEffect = {
  before: Arm;
  after: Arm;
  heldOut: Arm;
  ratio: number | null;
  interval: [number, number] | null;
  /** attempts that were not made, with their 95 % interval; null while nothing is proven */
  saved: {
    attempts: number;
    low: number;
    high: number;
  } | null;
  /** so many calls of a session count as one opportunity, where only the mistake itself shows that there was one */
  callsPerOpportunity: number | null;
  verdict: "works" | "no effect" | "harmful" | "not enough data";
  /** whether it was judged by the sessions of all rules of its kind, as its own are too few to tell */
  byFamily: boolean;
  reason: string;
};

export type RulePreview = {
  /** commands near the one that was named */
  examples: {
    command: string;
    matches: boolean;
  }[];
  history: {
    /** recorded calls of the same command, with whatever flags */
    calls: number;
    /** those that the rule matches */
    matched: number;
    last: {
      at: string;
      host: string;
      session: string;
      seq: number;
      command: string;
    }[];
    /** those that it does not match */
    near: {
      command: string;
      times: number;
    }[];
  };
};

export type RulesFile = {
  path: string;
  /** who reads it */
  hosts: string[];
  change: "make" | "change" | "remove" | "none" | "refused";
  /** why it was refused, or what is left to do */
  why: string | null;
};

export type SearchHit = {
  session: string;
  seq: number;
  score: number;
  at: string;
  snippet: string;
  /** how it was found: it contains words of the query, stands beside such words, or is near in meaning */
  by: "words" | "beside" | "meaning";
  /** the words of the query that it contains */
  matched: string[];
  /** nearer in meaning than texts come that have nothing to do with each other */
  near: boolean;
};

export type Session = {
  id: string;
  host: string;
  /** its first prompt, or its first call; null where neither is kept any more */
  title: string | null;
  workspace: string | null;
  cwd: string | null;
  model: string | null;
  startedAt: string;
  lastAt: string;
  events: number;
  failures: number;
  live: boolean;
};

export type SessionEvent = {
  id: number;
  seq: number;
  at: string;
  kind: "session-start" | "prompt" | "answer" | "call" | "correction" | "stop" | "session-end";
  tool: string | null;
  summary: string;
  input: unknown;
  outcome: "ok" | "failed" | "denied" | "rejected" | "interrupted" | "cascade" | null;
  benign: boolean;
  error: string | null;
  signature: string | null;
  durationMs: number | null;
  text: string | null;
};

export type SessionSummary = {
  host: string;
  session: string;
  workspace: string | null;
  startedAt: string;
  lastAt: string;
  text: string;
  topics: string[];
  decisions: string[];
  /** what was left open */
  threads: string[];
};

export type TeamRuleLine = {
  id: string;
  text: string;
  scope: "global" | "workspace";
  /** here, from now on */
  status: "candidate" | "approved" | "dormant" | "retired" | "rejected" | "merged";
  file: string | null;
};

export type Operations = {
  /** What this mind holds, where it is, and which hosts were heard of. */
  "status": {
    input: Record<string, never>;
    output: {
      version: string;
      home: string;
      /** true: this mind holds the made-up sample, and no real events */
      sample: boolean;
      store: "sqlite" | "postgres";
      place: string;
      off: boolean;
      /** folders in which it is switched off */
      offWorkspaces: string[];
      counts: {
        sessions: number;
        events: number;
        failures: number;
        rules: number;
      };
      /** rules that speak and were mined automatically in the last seven days */
      learned: {
        id: string;
        text: string;
        scope: unknown;
      }[];
      /** rules in force whose calls work more often than they fail, and on which their owner has not answered */
      wrong: {
        id: string;
        text: string;
        scope: unknown;
        failed: number;
        calls: number;
      }[];
      /** rules that wait for review */
      waiting: number;
      /** those among them that say nothing until their owner approves them */
      silent: {
        id: string;
        text: string;
        scope: unknown;
      }[];
      /** corrections heard in too few sessions for a rule; sessions: in how many they must be heard */
      heardOnce: {
        text: string;
        at: string;
        sessions: number;
      }[];
      /** while nothing was observed: the hosts whose hooks are in place on this machine */
      watched: string[];
      hosts: {
        host: string;
        lastFiredAt: string | null;
        events: number;
      }[];
    };
  };
  /** What oldhand did for you, by day: mistakes repeated, held, answered and avoided; what it learned; what waits for you. */
  "today": {
    input: {
      /** so many days, today counted in */
      days?: number | undefined;
      /** from this time on, in place of a number of days */
      since?: string | undefined;
      /** up to this time; now if not given */
      until?: string | undefined;
      /** the time zone in which days begin, such as Europe/Berlin; this machine's if not given */
      zone?: string | undefined;
      /** only in this folder */
      workspace?: string | undefined;
    };
    output: {
      since: string;
      until: string;
      zone: string;
      days: {
        /** calls that failed */
        failed: number;
        /** of those, calls that failed in a way that was seen before */
        repeated: number;
        /** calls that were refused once, with the rule */
        held: number;
        /** calls that the user was asked about */
        asked: number;
        /** calls that a rule denied */
        denied: number;
        /** rules and facts that came as a note with a call */
        noted: number;
        /** failed calls that were answered */
        answered: number;
        /** of those, answers that a later call used */
        used: number;
        /** mistakes that were not made again: rules that a session kept to after it was told, and answers that were used */
        avoided: number;
        /** rules that were mined */
        learned: number;
        /** 2026-11-17 */
        day: string;
      }[];
      totals: DayFigures;
      /** the same in the time before, of the same length */
      before: {
        /** calls that failed */
        failed: number;
        /** of those, calls that failed in a way that was seen before */
        repeated: number;
        /** calls that were refused once, with the rule */
        held: number;
        /** calls that the user was asked about */
        asked: number;
        /** calls that a rule denied */
        denied: number;
        /** rules and facts that came as a note with a call */
        noted: number;
        /** failed calls that were answered */
        answered: number;
        /** of those, answers that a later call used */
        used: number;
        /** mistakes that were not made again: rules that a session kept to after it was told, and answers that were used */
        avoided: number;
        /** rules that were mined */
        learned: number;
      };
      /** the newest rules that were mined in that time, at most 5 */
      learned: {
        id: string;
        text: string;
        status: "candidate" | "approved" | "dormant" | "retired" | "rejected" | "merged";
        level: "watch" | "advise" | "nudge" | "ask" | "deny";
        at: string;
      }[];
      waiting: {
        /** candidates to decide on */
        rules: number;
        /** proposed changes of the identity */
        proposals: number;
        /** rules in force that are wrong more often than right */
        wrong: number;
        /** what to decide first, at most 6 */
        first: {
          kind: "rule" | "wrong rule" | "proposal";
          id: string;
          text: string;
          /** why it is asked, in a few words */
          detail: string;
        }[];
      };
      /** false: no session was recorded yet */
      recorded: boolean;
    };
  };
  /** Failed calls and sessions by day: of all, of one mistake, or of the calls that a rule warns against. */
  "trend": {
    input: {
      /** of this mistake, as in `oldhand report --json` */
      signature?: string | undefined;
      /** of the calls that this rule warns against, as far as they are counted */
      rule?: string | undefined;
      /** so many days, today counted in */
      days?: number | undefined;
      /** from this time on, in place of a number of days */
      since?: string | undefined;
      /** up to this time; now if not given */
      until?: string | undefined;
      /** the time zone in which days begin, such as Europe/Berlin; this machine's if not given */
      zone?: string | undefined;
      /** only in this folder */
      workspace?: string | undefined;
    };
    output: {
      since: string;
      until: string;
      zone: string;
      days: {
        day: string;
        failures: number;
        sessions: number;
      }[];
      /** when the rule came into force and out of it in that time */
      marks: {
        day: string;
        at: string;
        what: "in force" | "out of force";
      }[];
    };
  };
  /** Brings in recorded history: of files, plain or gzipped, or without any of everything agents left on this machine. The same again changes nothing. */
  "import": {
    input: {
      /** files or stores to read; none: everything that is found */
      path?: string[] | undefined;
      /** their format, found out if not given; without files, only this one's */
      from?: "neutral" | "messages" | "claude-code" | "codex" | "gemini" | "opencode" | "pi" | "qwen" | "copilot" | "droid" | "cline" | "cursor" | "kiro" | "antigravity" | "windsurf" | "devin" | "vscode" | "continue" | "aider" | "amp" | "openclaw" | "hermes" | "learned-behavior" | "living-board" | "claude-mem" | undefined;
      /** only what happened from this time on */
      since?: string | undefined;
      /** only what happened in this folder */
      workspace?: string | undefined;
      /** do not learn rules now; run `oldhand distil` to see them */
      "no-rules"?: boolean | undefined;
      /** also events that were removed with `oldhand forget` */
      again?: boolean | undefined;
      /** also what happened while oldhand was off */
      includeOff?: boolean | undefined;
    };
    output: {
      sessions: number;
      events: number;
      failures: number;
      rules: number;
      /** rules mined from what was observed, as candidates */
      learned: number;
      memories: number;
      /** memories that the user typed to be remembered, or an agent marked */
      kept: number;
      skipped: number;
      leftOut: {
        what: string;
        count: number;
        why: string;
      }[];
      files: number;
      unchanged: number;
      damaged: number;
      /** sessions of the made-up sample that an earlier version had put into this mind */
      sampleRemoved: number;
    };
  };
  /** Settings: all of them, one (get PATH), or a new value (set PATH VALUE; VALUE `default` takes the default again). */
  "config": {
    input: {
      /** what to do */
      action?: "list" | "get" | "set" | undefined;
      /** such as distil.minCount, or database */
      path?: string | undefined;
      /** the new value */
      value?: string | undefined;
    };
    output: {
      path: string;
      value: string | number | boolean | string[];
      default: string | number | boolean | string[] | null;
      summary: string;
    }[];
  };
  /** The off switch: hooks return at once, nothing is stored, nothing is said. */
  "off": {
    input: {
      /** only in this folder */
      workspace?: string | undefined;
    };
    output: {
      off: boolean;
      workspace: string | null;
      /** what keeps it off in the folder concerned: another folder around it, or `everywhere` */
      stillOff?: string | null | undefined;
    };
  };
  /** On again after `off`. */
  "on": {
    input: {
      /** only in this folder */
      workspace?: string | undefined;
    };
    output: {
      off: boolean;
      workspace: string | null;
      /** what keeps it off in the folder concerned: another folder around it, or `everywhere` */
      stillOff?: string | null | undefined;
    };
  };
  /** The whole mind into one file, consistent while others write; restores into either store. */
  "backup": {
    input: {
      /** where to write it */
      file: string;
    };
    output: {
      file: string;
      counts: Record<string, number>;
    };
  };
  /** Replaces this mind by a backup. Shows what would be lost; acts with --write. */
  "restore": {
    input: {
      /** a file made by `oldhand backup` */
      file: string;
      /** really replace what is there */
      write?: boolean | undefined;
    };
    output: {
      file: string;
      replaced: boolean;
      /** what this mind holds: now, or after it was replaced */
      counts: Record<string, number>;
      /** what is in the file */
      brings: Record<string, number>;
    };
  };
  /** Every host: whether it is here, whether it is watched, and when it was last heard. */
  "hosts list": {
    input: Record<string, never>;
    output: {
      hosts: Host[];
    };
  };
  /** What is missing, stale, shadowed, untrusted or silent in the wiring of the hosts on this machine, and what to do. */
  "suggest hooks": {
    input: {
      /** only of this host */
      host?: string | undefined;
    };
    output: {
      suggestions: {
        host: string;
        trouble: string;
        what: string;
        hint: string | null;
      }[];
      /** hosts that are on this machine */
      looked: number;
    };
  };
  /** What agents did lately, newest first. */
  "sessions list": {
    input: {
      /** at most so many */
      limit?: number | undefined;
      /** only of this host */
      host?: string | undefined;
      /** only in this folder */
      workspace?: string | undefined;
      /** only those with failures */
      failing?: boolean | undefined;
      /** only from this time on */
      since?: string | undefined;
      /** only up to this time */
      until?: string | undefined;
      /** only older than this time */
      before?: string | undefined;
    };
    output: {
      sessions: Session[];
      more: boolean;
    };
  };
  /** One session, event by event. */
  "sessions show": {
    input: {
      /** the session's id, or its beginning */
      id: string;
      /** at most so many */
      limit?: number | undefined;
      /** events after this place only */
      after?: number | undefined;
    };
    output: {
      session: Session;
      /** in the order in which they happened */
      events: SessionEvent[];
      more: boolean;
      /** the place after which there is more; null: there is none */
      next: number | null;
    };
  };
  /** One session as a timeline, whole: also what is kept only in its episodes. */
  "sessions replay": {
    input: {
      /** the session's id, or its beginning */
      id: string;
    };
    output: {
      session: Session;
      events: SessionEvent[];
      /** how many of them come from episodes */
      packed: number;
    };
  };
  /** The mistakes made again and again, dearest first: what they cost, the evidence, what helped. */
  "report": {
    input: {
      /** at most so many */
      limit?: number | undefined;
      /** only in this folder */
      workspace?: string | undefined;
      /** only from this time on */
      since?: string | undefined;
      /** only up to this time */
      until?: string | undefined;
    };
    output: {
      totals: {
        sessions: number;
        events: number;
        failures: number;
        repeated: number;
      };
      mistakes: RepeatedMistake[];
    };
  };
  /** Search over everything recorded: by words, by what was said beside them, and by meaning. */
  "sessions search": {
    input: {
      /** what to look for */
      query?: string | undefined;
      /** a file with a line {id, query} for each question */
      batch?: string | undefined;
      /** at most so many */
      limit?: number | undefined;
      /** how far to go: the words alone, their neighbours too, or meaning too */
      by?: "words" | "neighbours" | "everything" | undefined;
      /** only in this folder */
      workspace?: string | undefined;
      /** only of this host */
      host?: string | undefined;
      /** only from this time on */
      since?: string | undefined;
      /** only up to this time */
      until?: string | undefined;
    };
    output: SearchHit[] | {
      batch: {
        id: unknown;
        note: string | null;
        hits: SearchHit[];
      }[];
    };
  };
  /** Computes the vectors that are missing, so that everything is found by meaning. Long-running processes do this by themselves. */
  "embed": {
    input: {
      /** stop after so long; the next goes on */
      seconds?: number | undefined;
    };
    output: {
      model: string | null;
      embedded: number;
      complete: boolean;
      /** why there is no embedder */
      why: string | null;
    };
  };
  /** Rules, memories, repeated mistakes and ledger entries that contain all the words, or beginnings of words. `sessions search` looks through what was recorded. */
  "find": {
    input: {
      /** what to look for */
      query: string;
      /** only what holds or happened in this folder */
      workspace?: string | undefined;
      /** at most so many of each */
      limit?: number | undefined;
    };
    output: {
      rules: {
        id: string;
        text: string;
        status: "candidate" | "approved" | "dormant" | "retired" | "rejected" | "merged";
        level: "watch" | "advise" | "nudge" | "ask" | "deny";
      }[];
      memories: {
        id: string;
        text: string;
        kind: "fact" | "preference" | "decision" | "learning" | "profile";
      }[];
      mistakes: {
        signature: string;
        text: string;
        count: number;
      }[];
      entries: {
        kind: "mistake" | "win";
        id: string;
        what: string;
        pattern: string;
        at: string;
      }[];
    };
  };
  /** The folders in which agents worked, the latest first. */
  "workspaces list": {
    input: {
      /** at most so many */
      limit?: number | undefined;
    };
    output: {
      workspaces: {
        workspace: string;
        sessions: number;
        lastAt: string;
      }[];
    };
  };
  /** What agents are doing right now, over all hosts and workspaces. */
  "sessions live": {
    input: {
      /** only in this folder */
      workspace?: string | undefined;
    };
    output: {
      sessions: LiveSession[];
    };
  };
  /** Shows each event of agents as it is stored, until you press Ctrl-C. Without streaming, returns the events after a given number. */
  "sessions follow": {
    input: {
      /** show events after this number; if not given, only new events */
      after?: number | undefined;
      /** only of this host */
      host?: string | undefined;
      /** only in this folder */
      workspace?: string | undefined;
      /** at most so many */
      limit?: number | undefined;
    };
    output: {
      events: FollowedEvent[];
      /** pass this as `after` to continue */
      next: number;
    };
  };
  /** Rules with their status, level and evidence. */
  "rules list": {
    input: {
      /** only these */
      status?: "candidate" | "approved" | "dormant" | "retired" | "rejected" | "merged" | undefined;
      /** only those that hold in this folder */
      workspace?: string | undefined;
      /** only those with evidence from this time on */
      since?: string | undefined;
      /** only those with evidence up to this time */
      until?: string | undefined;
    };
    output: Rule[];
  };
  /** One rule, whole. */
  "rules show": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: Rule;
  };
  /** Why a rule is there: the very calls it came from, and every change since. */
  "rules why": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: {
      rule: Rule;
      because: {
        ref: {
          session: string;
          seq: number;
        };
        host: string;
        at: string;
        tool: string;
        summary: string;
      }[];
      changes: {
        id: number;
        at: string;
        actor: string;
        cause: {
          kind: string;
          id: string | null;
          note: string | null;
        };
        noun: string;
        subject: string;
        summary: string;
        before: unknown;
        after: unknown;
        undoes: number | null;
        undoneBy: number | null;
        scrubbed: boolean;
        by: string;
      }[];
    };
  };
  /** Approves a rule: it is in force from now on. */
  "rules approve": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: RuleDecision;
  };
  /** Rejects a rule: it says nothing and is not proposed again, unless you approve it later. */
  "rules reject": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: RuleDecision;
  };
  /** Changes the wording, the level or the command of a rule. */
  "rules edit": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
      /** the new sentence */
      text?: string | undefined;
      /** how hard it insists */
      level?: "watch" | "advise" | "nudge" | "ask" | "deny" | undefined;
      /** the shell command it warns against. Flags match in any order and spelling; wrappers such as `sudo` are ignored. */
      command?: string | undefined;
      /** only this very command, word for word */
      exact?: boolean | undefined;
    };
    output: Learned;
  };
  /** Keeps a rule from decay. */
  "rules pin": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: RuleDecision;
  };
  /** Lets a rule decay again. */
  "rules unpin": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: RuleDecision;
  };
  /** Takes a rule out of force, and keeps it for the record. */
  "rules retire": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: RuleDecision;
  };
  /** One rule takes in others: they are marked as merged, and no longer shown. */
  "rules merge": {
    input: {
      /** the rule that stays */
      id: string;
      /** the rules it takes in */
      others: string[];
      /** a sentence for all of them */
      text?: string | undefined;
    };
    output: {
      rule: Rule;
      merged: string[];
      changes: Change[];
    };
  };
  /** Removes a rule and the words of its past, for good. Cannot be undone. */
  "rules forget": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: {
      forgotten: string;
      /** why bytes of it are still in the store's files; null: they are gone */
      waits: string | null;
      /** what oldhand cannot take it out of */
      keptIn: string[];
    };
  };
  /** Lets the next call that a rule would ask about or deny run, once. This is journalled. */
  "override": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
      /** why */
      reason?: string | undefined;
    };
    output: {
      override: string;
      rule: string;
      change: Change | null;
    };
  };
  /** A rule by hand, in force at once. Shows what it would and would not match. */
  "learn": {
    input: {
      /** the sentence an agent should follow */
      text: string;
      /** the shell command it warns against. Flags match in any order and spelling; wrappers such as `sudo` are ignored. */
      command?: string | undefined;
      /** only this very command, word for word */
      exact?: boolean | undefined;
      /** only in this folder */
      workspace?: string | undefined;
      /** how hard it insists */
      level?: "watch" | "advise" | "nudge" | "ask" | "deny" | undefined;
      /** only show what it would match; write nothing */
      dryRun?: boolean | undefined;
    };
    output: Learned;
  };
  /** Which rules speak against a call, and at which level; else the facts that are shown before it. */
  "match": {
    input: {
      /** the tool's name */
      tool?: string | undefined;
      /** the shell command */
      command?: string | undefined;
      /** what the tool would be given, for other tools */
      input?: Record<string, unknown> | undefined;
      /** where it would run; this folder if not given */
      cwd?: string | undefined;
      /** the host, with its session: rules may ask what happened before */
      host?: string | undefined;
      /** the session it would be made in; without it all rules are shown */
      session?: string | undefined;
    };
    output: {
      rules: {
        id: string;
        level: "watch" | "advise" | "nudge" | "ask" | "deny";
        text: string;
      }[];
      /** what is shown before the call where no rule speaks before it */
      facts: {
        id: string;
        kind: "missing-path" | "is-folder" | "too-large" | "missing-program" | "unknown-script" | "unknown-remote";
        text: string;
      }[];
      /** whether oldhand is switched off there, so that none of them is said */
      off: boolean;
    };
  };
  /** Replays a rule over everything recorded: how often it would have spoken, and how often rightly. */
  "rules backtest": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: {
      opportunities: number;
      fired: number;
      hits: number;
      falseAlarms: number;
      precision: number;
      lower: number;
      rule: string;
      matcher: string;
      ceiling: {
        level: "watch" | "advise" | "nudge" | "ask" | "deny";
        reason: string;
      };
      sessions: {
        met: number;
        failed: number;
      };
    };
  };
  /** Whether a rule works: attempts per opportunity before it, with it, and in sessions that did without it. */
  "rules effect": {
    input: {
      /** the rule's id, as in `oldhand rules`, or the beginning of it */
      id: string;
    };
    output: {
      before: Arm;
      after: Arm;
      heldOut: Arm;
      ratio: number | null;
      interval: [number, number] | null;
      /** attempts that were not made, with their 95 % interval; null while nothing is proven */
      saved: {
        attempts: number;
        low: number;
        high: number;
      } | null;
      /** so many calls of a session count as one opportunity, where only the mistake itself shows that there was one */
      callsPerOpportunity: number | null;
      verdict: "works" | "no effect" | "harmful" | "not enough data";
      /** whether it was judged by the sessions of all rules of its kind, as its own are too few to tell */
      byFamily: boolean;
      reason: string;
      rule: string;
      since: string;
      /** what sessions did that were told, by the hardest way in which they were */
      deliveries: {
        delivery: "note" | "hold" | "ask" | "deny";
        sessions: number;
        /** sessions in which the mistake was not repeated */
        kept: number;
        share: number;
        interval: [number, number];
      }[];
    };
  };
  /** What was put before which session, when and at which level, and whether the session then kept to it. */
  "rules shown": {
    input: {
      /** only this rule: its id, or the beginning of it */
      id?: string | undefined;
      /** only before this session */
      session?: string | undefined;
      /** at most so many */
      limit?: number | undefined;
    };
    output: {
      shown: {
        at: string;
        host: string;
        session: string;
        rule: string;
        /** null where the rule was forgotten since */
        text: string | null;
        moment: string;
        /** how it came: as a note, or so that the call did not run */
        delivery: "note" | "hold" | "ask" | "deny";
        level: "watch" | "advise" | "nudge" | "ask" | "deny";
        tokens: number;
        /** null until the session has gone quiet and was counted, and where the call was made and worked */
        broken: boolean | null;
      }[];
    };
  };
  /** Approves the candidates that have earned it, and merges rules that say the same. */
  "promote": {
    input: {
      /** write what is shown */
      write?: boolean | undefined;
      /** only show, which is what happens without --write */
      "dry-run"?: boolean | undefined;
    };
    output: {
      written: boolean;
      steps: MaintenanceStep[];
    };
  };
  /** Lowers the confidence of rules that were not seen for long, or whose hosts moved to a new release; wakes dormant rules whose pattern came back. */
  "decay": {
    input: {
      /** write what is shown */
      write?: boolean | undefined;
      /** only show, which is what happens without --write */
      "dry-run"?: boolean | undefined;
    };
    output: {
      written: boolean;
      steps: MaintenanceStep[];
    };
  };
  /** Counts what sessions did after they were shown a rule; a rule that is broken again and again gets a higher level. */
  "reinforce": {
    input: {
      /** write what is shown */
      write?: boolean | undefined;
      /** only show, which is what happens without --write */
      "dry-run"?: boolean | undefined;
    };
    output: {
      written: boolean;
      steps: MaintenanceStep[];
    };
  };
  /** Distils, reinforces, promotes, decays and proves rules, at most once in `distil.maintainHours` hours. Safe to run at the end of every session. */
  "maintain": {
    input: {
      /** write what is shown */
      write?: boolean | undefined;
      /** only show, which is what happens without --write */
      "dry-run"?: boolean | undefined;
      /** also when it ran lately */
      force?: boolean | undefined;
    };
    output: {
      skipped: string | null;
      written: boolean;
      proposed: number;
      steps: MaintenanceStep[];
    };
  };
  /** Looks for rules in what was observed; shows them, and writes them with --write. */
  "distil": {
    input: {
      /** write what is shown */
      write?: boolean | undefined;
      /** only these miners */
      only?: ("failures" | "edits" | "bypasses" | "blocks" | "mistakes" | "corrections" | "recoveries")[] | undefined;
      /** only what happened from this time on */
      since?: string | undefined;
      /** how often it must have come, instead of each miner's own number */
      minCount?: number | undefined;
      /** at most so many, the most frequent first */
      limit?: number | undefined;
      /** only what happened in this folder */
      workspace?: string | undefined;
      /** rules for everywhere, wherever their evidence is from */
      global?: boolean | undefined;
    };
    output: {
      written: number;
      proposals: {
        id: string;
        miner: "failures" | "edits" | "bypasses" | "blocks" | "mistakes" | "corrections" | "recoveries";
        standing: "new" | "renewed" | "known";
        text: string;
        level: "watch" | "advise" | "nudge" | "ask" | "deny";
        confidence: number;
        origin: "owner" | "agent" | "tool" | "external";
        matcher: unknown;
        scope: unknown;
        signature: string | null;
        backtest: Backtest | null;
      }[];
      /** entries of skill registries that could not be taken */
      notes: string[];
    };
  };
  /** Commands that are run often and that no skill covers: each could be one. */
  "suggest skills": {
    input: {
      /** how far back to look */
      days?: number | undefined;
      /** how often it must have been run */
      minCount?: number | undefined;
      /** only what was run in this folder */
      workspace?: string | undefined;
      /** at most so many */
      limit?: number | undefined;
    };
    output: {
      suggestions: {
        command: string;
        times: number;
        sessions: number;
        example: string;
      }[];
    };
  };
  /** Writes a mistake into the ledger, with the signal that was there and was misread. */
  "mistake": {
    input: {
      /** what happened */
      what: string;
      /** the name it is counted under, such as not-verifying; if the owner leaves it out, it is made from WHAT */
      pattern?: string | undefined;
      /** what was expected */
      prediction?: string | undefined;
      /** what came instead */
      outcome?: string | undefined;
      /** how far apart the two were: 0 to 1 */
      surprise?: number | undefined;
      /** the session it happened in */
      session?: string | undefined;
      /** the folder it happened in, if not this one */
      workspace?: string | undefined;
      /** not of one folder: told in all workspaces */
      everywhere?: boolean | undefined;
      /** why it happened */
      why?: string | undefined;
      /** what would have been right */
      shouldHave?: string | undefined;
      /** what could be seen at the time, word for word: an output, a line, a file */
      signal?: string | undefined;
      /** how bad it was */
      severity?: "low" | "medium" | "high" | "critical" | undefined;
    };
    output: Entered;
  };
  /** Writes a win into the ledger: what worked and why; it counts against mistakes of its pattern. */
  "win": {
    input: {
      /** what happened */
      what: string;
      /** the name it is counted under, such as not-verifying; left out, those there are come back */
      pattern?: string | undefined;
      /** what was expected */
      prediction?: string | undefined;
      /** what came instead */
      outcome?: string | undefined;
      /** how far apart the two were: 0 to 1 */
      surprise?: number | undefined;
      /** the session it happened in */
      session?: string | undefined;
      /** the folder it happened in, if not this one */
      workspace?: string | undefined;
      /** not of one folder: told in all workspaces */
      everywhere?: boolean | undefined;
      /** why it worked */
      why: string;
    };
    output: Entered;
  };
  /** Mistakes and wins: how each pattern stands, and the newest entries. */
  "ledger list": {
    input: {
      /** only this one, whatever its name */
      pattern?: string | undefined;
      /** only what is told in this folder */
      workspace?: string | undefined;
      /** only from this time on */
      since?: string | undefined;
      /** only up to this time */
      until?: string | undefined;
      /** at most so many */
      limit?: number | undefined;
    };
    output: {
      patterns: PatternStanding[];
      entries: LedgerEntry[];
    };
  };
  /** Removes an entry of the ledger and its words, for good. Cannot be undone. */
  "ledger forget": {
    input: {
      /** its id, as in `oldhand ledger`, or the beginning of it */
      entry: string;
    };
    output: {
      forgotten: string;
      /** why bytes of it are still in the store's files; null: they are gone */
      waits: string | null;
      /** what oldhand cannot take it out of */
      keptIn: string[];
    };
  };
  /** Facts that failed calls showed: missing paths, programs, scripts and remotes, folders read as files, files too large to read at once. */
  "facts list": {
    input: {
      /** only those of this folder's workspace; `.` is the one you are in */
      workspace?: string | undefined;
      /** at most so many */
      limit?: number | undefined;
    };
    output: Fact[];
  };
  /** Removes a fact. A later failure can add it again. */
  "facts forget": {
    input: {
      /** its id, as in `oldhand facts`, or the beginning of it */
      fact: string;
    };
    output: {
      forgotten: string;
      /** why bytes of it are still in the store's files; null: they are gone */
      waits: string | null;
      /** what oldhand cannot take it out of */
      keptIn: string[];
    };
  };
  /** Writes a memory. The same key again replaces it; what is known already, nearly word for word, is not written twice. */
  "remember": {
    input: {
      /** what to remember, as a statement */
      text: string;
      /** its name: the same key again replaces the text */
      key?: string | undefined;
      /** what it is; a learning needs a category */
      kind?: "fact" | "preference" | "decision" | "learning" | "profile" | undefined;
      /** of a learning */
      category?: "domain_knowledge" | "strategy" | "operational" | "meta" | undefined;
      /** how much it matters, 1 to 100 (50) */
      importance?: number | undefined;
      /** how sure it is, 0 to 1 */
      confidence?: number | undefined;
      /** words to find it by */
      tags?: string[] | undefined;
      /** only in this folder's workspace */
      workspace?: string | undefined;
      /** only for this goal */
      goal?: string | undefined;
      /** only for this agent */
      agent?: string | undefined;
      /** in all workspaces. Without it, what an agent writes holds in its workspace, unless it is a profile or its key already exists globally */
      everywhere?: boolean | undefined;
      /** who it comes from, if not from who is speaking */
      origin?: "owner" | "agent" | "tool" | "external" | undefined;
      /** ids of memories it takes the place of */
      supersedes?: string[] | undefined;
      /** always known, and written to MEMORY.md, or to USER.md if it is a profile; a profile that is not from the owner is only proposed for USER.md */
      pinned?: boolean | undefined;
      /** also when much the same is known */
      anyway?: boolean | undefined;
    };
    output: {
      written: boolean;
      memory: Memory;
      /** to what is known already, where nothing was written */
      similarity: number | null;
      changes: Change[];
    };
  };
  /** Memories, most important first. */
  "memories list": {
    input: {
      /** only these */
      status?: "active" | "archived" | "superseded" | undefined;
      /** only this kind */
      kind?: "fact" | "preference" | "decision" | "learning" | "profile" | undefined;
      /** only with this tag */
      tag?: string | undefined;
      /** only those whose words are kept from agents */
      blocked?: boolean | undefined;
      /** only in this folder's workspace */
      workspace?: string | undefined;
      /** only for this goal */
      goal?: string | undefined;
      /** only for this agent */
      agent?: string | undefined;
      /** only those written from this time on */
      since?: string | undefined;
      /** only those written up to this time */
      until?: string | undefined;
      /** at most so many */
      limit?: number | undefined;
    };
    output: {
      memories: Memory[];
    };
  };
  /** One memory, whole. */
  "memories show": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
    };
    output: Memory;
  };
  /** It proved true: more confidence. */
  "memories confirm": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
    };
    output: MemoryDecision;
  };
  /** It proved wrong: less confidence, archived when little is left. */
  "memories contradict": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
    };
    output: MemoryDecision;
  };
  /** Out of recall, kept for the record. */
  "memories archive": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
    };
    output: MemoryDecision;
  };
  /** Other words or another importance for a memory; in the owner's words it is the owner's. */
  "memories edit": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
      /** what it says from now on */
      text?: string | undefined;
      /** how much it matters, 1 to 100 */
      importance?: number | undefined;
    };
    output: MemoryDecision;
  };
  /** Always known: kept from decay, and written to MEMORY.md or USER.md where it holds everywhere. */
  "memories pin": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
    };
    output: MemoryDecision;
  };
  /** Open to decay again, and out of MEMORY.md and USER.md. */
  "memories unpin": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
    };
    output: MemoryDecision;
  };
  /** The owner's word for it: trusted like the owner's own, and no longer blocked. */
  "memories vouch": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
    };
    output: MemoryDecision;
  };
  /** Removes a memory and the words of its past, for good. Cannot be undone. */
  "memories forget": {
    input: {
      /** the memory's id, the beginning of it, or its key where that is of no narrower scope */
      id: string;
    };
    output: {
      forgotten: string;
      /** why bytes of it are still in the store's files; null: they are gone */
      waits: string | null;
      /** what oldhand cannot take it out of */
      keptIn: string[];
    };
  };
  /** Removes one entry by its id, or everything observed in a session, in a folder or before a time (a preview; --write removes it). This cannot be undone. */
  "forget": {
    input: {
      /** the id of a rule, memory, fact, ledger entry or proposal, or the key of a memory */
      id?: string | undefined;
      /** all of this session */
      session?: string | undefined;
      /** all that happened in this folder */
      workspace?: string | undefined;
      /** all that happened before this time */
      before?: string | undefined;
      /** really remove what is shown; not needed with an id */
      write?: boolean | undefined;
    };
    output: {
      forgotten: string | null;
      purge: {
        written: boolean;
        sessions: {
          whole: number;
          partly: number;
        };
        /** rows of each table */
        counts: Record<string, number>;
        /** rules that cite removed calls; the rules stay, the citations go. only: every call the rule was learned from is removed */
        rules: {
          id: string;
          text: string;
          cited: number;
          only: boolean;
        }[];
        /** memories and ledger entries that came of it */
        stays: {
          id: string;
          text: string;
        }[];
      } | null;
      /** why bytes of it are still in the store's files; null: they are gone */
      waits: string | null;
      /** what oldhand cannot take it out of */
      keptIn: string[];
    };
  };
  /** What is known: that fits the words, or without words all of a goal, an agent or this workspace. From four tiers, each piece with its tier and origin. */
  "recall": {
    input: {
      /** the situation or question; none: all that is known of the goal, agent or workspace */
      query?: string | undefined;
      /** the folder it is asked in; this one if not given */
      workspace?: string | undefined;
      /** only for this goal */
      goal?: string | undefined;
      /** only for this agent */
      agent?: string | undefined;
      /** whose working memory to look into */
      session?: string | undefined;
      /** only these tiers */
      tiers?: ("working" | "semantic" | "episodic" | "aggregate")[] | undefined;
      /** at most so many of each tier */
      limit?: number | undefined;
    };
    output: {
      pieces: {
        tier: "working" | "semantic" | "episodic" | "aggregate";
        id: string;
        /** null where it is blocked, or where an agent asks: it reads `quoted` */
        text: string | null;
        origin: "owner" | "agent" | "tool" | "external";
        score: number;
        why: string;
        /** whether it contains words of the query */
        byWords: boolean | null;
        at: string | null;
        blocked: string | null;
      }[];
      /** said where nothing that was found contains the words */
      note: string | null;
      /** the same as quoted data, to be put before an agent */
      quoted: string;
    };
  };
  /** What a session would start with: the most important memories, then those that fit the situation, or those of the workspace. */
  "memories boot": {
    input: {
      /** what the session is about */
      situation?: string | undefined;
      /** the folder it starts in; this one if not given */
      workspace?: string | undefined;
      /** only for this goal */
      goal?: string | undefined;
      /** only for this agent */
      agent?: string | undefined;
    };
    output: {
      memories: {
        id: string;
        key: string;
        text: string;
        kind: "fact" | "preference" | "decision" | "learning" | "profile";
        category: "domain_knowledge" | "strategy" | "operational" | "meta" | null;
        importance: number;
        confidence: number;
        tags: string[];
        scope: {
          kind: "global" | "workspace" | "goal" | "agent";
          name: string | null;
        };
        origin: "owner" | "agent" | "tool" | "external";
        trust: "owner" | "agent" | "tool" | "external";
        supersedes: string[];
        pinned: boolean;
        status: "active" | "archived" | "superseded";
        /** why its words are kept from agents */
        blocked: string | null;
        createdAt: string;
        uses: number;
        confirmations: number;
        contradictions: number;
        lastUsedAt: string | null;
        lastConfirmedAt: string | null;
        because: "importance" | "workspace" | "similarity";
      }[];
      quoted: string;
    };
  };
  /** Keeps a turn in a session's working memory, for hours; the oldest make room when it is full. */
  "working keep": {
    input: {
      /** the session's id */
      session: string;
      /** what to keep in mind */
      text: string;
      /** for how long, 1 to 24 hours */
      hours?: number | undefined;
    };
    output: {
      key: string;
      dropped: number;
    };
  };
  /** A session's working memory, oldest first. */
  "working list": {
    input: {
      /** the session's id */
      session: string;
    };
    output: {
      turns: {
        key: string;
        text: string;
        until: string;
      }[];
    };
  };
  /** Empties a session's working memory. */
  "working clear": {
    input: {
      /** the session's id */
      session: string;
    };
    output: {
      removed: number;
    };
  };
  /** Calls counted by host, tool, workspace or day: how many, how many worked, what failures cost. */
  "stats": {
    input: {
      /** what to count by */
      by?: "host" | "tool" | "workspace" | "day" | undefined;
      /** only in this folder */
      workspace?: string | undefined;
      /** only from this time on; the last 90 days if not given */
      since?: string | undefined;
      /** at most so many */
      limit?: number | undefined;
    };
    output: {
      by: "host" | "tool" | "workspace" | "day";
      rows: {
        name: string;
        calls: number;
        failures: number;
        successRate: number;
        sessions: number;
        minutes: number;
        lostCalls: number;
        lastAt: string;
      }[];
    };
  };
  /** The rules and memories that fit a prompt, numbered; nothing when nothing fits. */
  "advice": {
    input: {
      /** what is about to be done */
      prompt: string;
      /** the folder it is done in; this one if not given */
      workspace?: string | undefined;
      /** in which; what it was told is not told again */
      session?: string | undefined;
      /** the session's host */
      host?: string | undefined;
    };
    output: {
      /** as an agent gets it; empty where nothing fits */
      text: string;
      rules: {
        id: string;
        level: "watch" | "advise" | "nudge" | "ask" | "deny";
        text: string;
      }[];
      /** their ids; their words are in the text, quoted */
      memories: string[];
      tokens: number;
    };
  };
  /** A session in a few lines: what was asked, decided and left open, taken from its own words. */
  "sessions summary": {
    input: {
      /** the session's id, or the beginning of it */
      id: string;
    };
    output: SessionSummary;
  };
  /** The log of a day: its sessions, what was decided and left open, its mistakes and wins. */
  "daily": {
    input: {
      /** such as 2026-01-31 (UTC); today if not given */
      day?: string | undefined;
      /** only in this folder */
      workspace?: string | undefined;
    };
    output: {
      day: string;
      sessions: SessionSummary[];
      topics: string[];
      decisions: string[];
      threads: string[];
      entries: {
        kind: "mistake" | "win";
        id: string;
        what: string;
      }[];
    };
  };
  /** How many failed calls were answered, and how many of these answers one of the next 8 calls used. */
  "answers": {
    input: {
      /** only of calls in this folder */
      workspace?: string | undefined;
    };
    output: {
      /** answers that sessions got, and how many of them were used */
      shown: {
        answers: number;
        used: number;
      };
      /** answers that were kept back from the control group, and how many it found by itself */
      without: {
        answers: number;
        used: number;
      };
      /** of those shown, by why the call failed */
      causes: {
        cause: string;
        answers: number;
        used: number;
      }[];
    };
  };
  /** Lowers the confidence of what nobody used or confirmed for long; shows first, acts with --write. Every sweep counts. */
  "memories sweep": {
    input: {
      /** write what is shown */
      write?: boolean | undefined;
    };
    output: {
      written: number;
      memories: {
        id: string;
        text: string;
        before: number;
        after: number;
        archived: boolean;
      }[];
    };
  };
  /** Finds memories that say the same, and lets the surest stand for the others; shows first, acts with --write. */
  "memories consolidate": {
    input: {
      /** write what is shown */
      write?: boolean | undefined;
    };
    output: {
      written: number;
      groups: {
        kept: Memory;
        superseded: {
          id: string;
          text: string;
        }[];
        similarity: number;
      }[];
    };
  };
  /** Makes MEMORY.md and USER.md one with the pinned memories: what you edited there is read back first, and never overwritten. */
  "memories files": {
    input: Record<string, never>;
    output: {
      files: {
        name: string;
        path: string;
        characters: number;
        limit: number;
        entries: string[];
        readBack: number;
        written: boolean;
        over: boolean;
      }[];
    };
  };
  /** Every memory as JSON lines, also archived and superseded ones. */
  "memories export": {
    input: Record<string, never>;
    output: {
      format: "oldhand-memories-1";
      memories: Memory[];
    };
  };
  /** Takes the inline markers ([MEMORY]{…}, WIN, MISTAKE, STATE, JOURNAL, TASK_…) out of an agent's answer; without one, keeps the memories marked in what was observed. */
  "markers": {
    input: {
      /** an agent's answer */
      text?: string | undefined;
    };
    output: {
      /** the answer without its markers */
      shown: string | null;
      markers: {
        name: string;
        data: Record<string, unknown> | null;
        raw: string;
      }[];
      /** memories written */
      kept: number;
    };
  };
  /** Sets up who the agent is: name, how to address you, and six to ten starting rules. Changes nothing twice. */
  "init": {
    input: {
      /** what the agent is called */
      name?: string | undefined;
      /** how it addresses you */
      address?: string | undefined;
      /** six to ten sentences it should follow */
      rules?: string[] | undefined;
    };
    output: {
      name: string | null;
      address: string | null;
      files: {
        name: string;
        path: string;
        made: boolean;
      }[];
      rules: {
        id: string;
        text: string;
        made: boolean;
      }[];
    };
  };
  /** Who the agent is: the identity files, what a session starts with, and who tried to change what is protected. */
  "soul show": {
    input: Record<string, never>;
    output: {
      files: {
        name: "SHIELD.md" | "SOUL.md" | "USER.md" | "HARNESS.md";
        path: string;
        text: string | null;
        protected: string[];
        /** the lines of what is protected: from 0, `to` not with it */
        guarded: {
          from: number;
          to: number;
        }[];
        did: "nothing" | "read back" | "written" | "left";
      }[];
      /** as a session is given it */
      identity: string;
      limit: number;
      cut: boolean;
      /** proposals that wait */
      open: number;
      attempts: {
        id: string;
        at: string;
        file: string;
        actor: string;
        refusal: string;
      }[];
    };
  };
  /** Changes a file of the identity; without a text it says where the file is, to be edited by hand. */
  "soul edit": {
    input: {
      /** which file */
      file?: "SHIELD.md" | "SOUL.md" | "HARNESS.md" | undefined;
      /** the whole new text */
      text?: string | undefined;
      /** the section that `add` goes to */
      section?: string | undefined;
      /** one point more */
      add?: string | undefined;
      /** why, for the growth log */
      reason?: string | undefined;
      /** the text that the new one was made from: what changed in the file since then stays */
      base?: string | undefined;
    };
    output: {
      file: string;
      path: string;
      change: Change | null;
    };
  };
  /** How far the identity has come from its first version: lines, words and sections, and how it went. */
  "soul drift": {
    input: Record<string, never>;
    output: {
      files: {
        file: string;
        since: string;
        versions: number;
        /** share of changed lines, 0 to 1 */
        lines: number;
        /** share of changed words, 0 to 1 */
        words: number;
        added: number;
        removed: number;
        sections: {
          added: string[];
          removed: string[];
          changed: string[];
        };
        course: {
          at: string;
          change: number;
          words: number;
        }[];
      }[];
    };
  };
  /** The growth log: every change of the identity with its reason, newest first. */
  "soul log": {
    input: {
      /** at most so many */
      limit?: number | undefined;
    };
    output: {
      entries: {
        change: number;
        at: string;
        file: string;
        actor: string;
        reason: string;
        added: number;
        removed: number;
        undoneBy: number | null;
      }[];
    };
  };
  /** Proposes a change of the identity, as a diff for the owner to decide. What is protected is refused, and that is kept. */
  "soul propose": {
    input: {
      /** which file */
      file?: "SHIELD.md" | "SOUL.md" | "HARNESS.md" | undefined;
      /** the whole new text */
      text?: string | undefined;
      /** the section that `add` goes to */
      section?: string | undefined;
      /** one point more */
      add?: string | undefined;
      /** why */
      reason: string;
      /** who it comes from; what comes from outside is refused */
      origin?: "owner" | "agent" | "tool" | "external" | undefined;
    };
    output: IdentityProposal;
  };
  /** Changes of the identity that wait for the owner, as diffs; rules proven fundamental are among them. */
  "soul proposals": {
    input: {
      /** also what was decided or refused */
      all?: boolean | undefined;
    };
    output: {
      proposals: IdentityProposal[];
    };
  };
  /** Makes a proposed change of the identity. */
  "soul accept": {
    input: {
      /** the proposal's id, as in `oldhand soul proposals`, or the beginning of it */
      id: string;
    };
    output: {
      proposal: IdentityProposal;
      /** of the file */
      change: Change | null;
      /** the file's, then the proposal's own; with both undone it waits again */
      changes: Change[];
    };
  };
  /** Rejects a proposed change of the identity. A memory it was made of is archived: no session is shown it. */
  "soul reject": {
    input: {
      /** the proposal's id, as in `oldhand soul proposals`, or the beginning of it */
      id: string;
      /** why */
      reason?: string | undefined;
    };
    output: {
      id: string;
      file: string;
      status: "open" | "accepted" | "rejected" | "refused";
      reason: string;
      origin: "owner" | "agent" | "tool" | "external";
      actor: string;
      rule: string | null;
      refusal: string | null;
      createdAt: string;
      diff: string;
      change: Change | null;
      /** the memory it was made of, if that was archived with it */
      archived: string | null;
    };
  };
  /** Writes the rules that speak here into the rules files of every host, between two marks: those in force, and candidates not yet reviewed. Shows what would change; acts with --write. */
  "export": {
    input: {
      /** the folder whose rules and files are meant */
      workspace?: string | undefined;
      /** only the files of this host (again for more); all of them without it */
      host?: string[] | undefined;
      /** instead, one file a rule under .oldhand/rules, to be reviewed and shared */
      team?: boolean | undefined;
      /** take our part out of the files */
      remove?: boolean | undefined;
      /** really write */
      write?: boolean | undefined;
    };
    output: {
      workspace: string;
      written: boolean;
      rules: {
        id: string;
        level: "watch" | "advise" | "nudge" | "ask" | "deny";
        text: string;
      }[];
      /** rules for which there was no room */
      left: number;
      files: RulesFile[];
    };
  };
  /** Takes in the rules that a team keeps in its repository. They say nothing until you approve them; the same again changes nothing. */
  "import-rules": {
    input: {
      /** the repository, or the folder with the files */
      folder?: string | undefined;
      /** they are your word too: in force at once, as hard as the files say */
      approve?: boolean | undefined;
      /** retire rules whose files are gone */
      prune?: boolean | undefined;
    };
    output: {
      workspace: string;
      folder: string;
      made: TeamRuleLine[];
      changed: {
        id: string;
        text: string;
        scope: "global" | "workspace";
        /** here, from now on */
        status: "candidate" | "approved" | "dormant" | "retired" | "rejected" | "merged";
        file: string | null;
        was: string;
      }[];
      approved: TeamRuleLine[];
      retired: TeamRuleLine[];
      /** their files are no longer there; --prune retires them */
      gone: TeamRuleLine[];
      /** changed here since, or forgotten here: the file is the older one */
      kept: TeamRuleLine[];
      same: number;
      /** parts of matchers that this version cannot read: these rules match no call */
      unclear: {
        file: string;
        parts: string[];
      }[];
      problems: {
        file: string;
        why: string;
      }[];
    };
  };
  /** Every change of the mind, newest first: what, by whom, and what caused it. */
  "history": {
    input: {
      /** at most so many */
      limit?: number | undefined;
      /** only changes with a smaller number */
      before?: number | undefined;
      /** only of what holds or happened in this folder */
      workspace?: string | undefined;
      /** only from this time on */
      since?: string | undefined;
      /** only up to this time */
      until?: string | undefined;
    };
    output: {
      changes: Change[];
    };
  };
  /** How something came to be as it is: all its changes, with before and after. */
  "why": {
    input: {
      /** the id of a rule or of anything else, the beginning of it, or the number of a change */
      id: string;
    };
    output: {
      changes: Change[];
      /** where the id is of a fact: it has no changes, only calls that showed it */
      fact: Fact | null;
    };
  };
  /** Takes one change back, your last one if none is named; refused, with names, when what others decided builds on it. */
  "undo": {
    input: {
      /** the change's number, as in `oldhand history`; your last change if not given */
      id?: number | undefined;
    };
    output: {
      change: Change;
    };
  };
  /** The mind as it was at a time. */
  "at": {
    input: {
      /** such as 2026-01-31T12:00:00Z */
      time: string;
    };
    output: {
      state: {
        noun: string;
        id: string;
        state: unknown;
      }[];
    };
  };
};
