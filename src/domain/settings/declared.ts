import { chatModes } from "./chat-mode.ts";
import { endpointKinds } from "../model/endpoint.ts";
import {
  choiceSetting,
  type Declared,
  flagSetting,
  listSetting,
  numberSetting,
  secretSetting,
  tableSetting,
  textSetting,
} from "./kinds.ts";

const share = (value: number, summary: string) => numberSetting(value, 0, 1, summary);
const count = (value: number, summary: string) => numberSetting(value, 1, 1_000_000, summary);
const days = (value: number, summary: string) => numberSetting(value, 1, 3_650, `${summary} (days)`);
const hours = (value: number, summary: string) => numberSetting(value, 1, 8_760, `${summary} (hours)`);

/** For a pattern: `7:05`, `23:59`. */
const TIME_OF_DAY = "(?:[01]?\\d|2[0-3]):[0-5]\\d";

/**
 * Every setting, declared once. The file, the checks, the schema, `oldhand config`, the documentation and the types are
 * derived from this table. Every setting has a reader in the source; one that loses its last reader moves to `retired`.
 */
export const settings = {
  database: textSetting("mind.db", "the store: a SQLite file, or postgres://user:password@host:5432/database", {
    pattern: "^(?:postgres(?:ql)?://.+|(?![A-Za-z][\\w+.-]+://).*)$",
    asksFor: "a file, or postgres://user:password@host:5432/database",
    env: "OLDHAND_DATABASE",
    // Using another database than the intended one is worse than using none.
    isEssential: true,
  }),
  // Any invalid value counts as true: whoever wrote it wanted oldhand off.
  off: flagSetting(false, "switches oldhand off: hooks return at once, nothing is stored, nothing is shown", {
    unclear: true,
  }),
  offWorkspaces: listSetting("folders where oldhand is off", "oldhand off --workspace DIR"),
  embedder: textSetting(
    "minilm",
    "embedder that turns texts into vectors: minilm (built in, English, offline), none, or URL#MODEL of a server",
    {
      pattern: "^(?:minilm|none|https?://[^\\s#/?]+(?:[/?][^\\s#]*)?#\\S+)$",
      asksFor: "minilm, none, or a server's URL#MODEL such as http://127.0.0.1:11434/v1#nomic-embed-text",
      env: "OLDHAND_EMBEDDER",
    },
  ),
  embedderKey: secretSetting("OLDHAND_EMBEDDER_KEY", "the key of the embedder's server"),
  observe: {
    payloadCharacters: numberSetting(
      20_000,
      200,
      10_000_000,
      "longest stored text of one event; longer texts keep their beginning and end",
    ),
    payloadBytes: numberSetting(
      64_000_000,
      1_000,
      1_000_000_000,
      "largest hook payload that is read; a larger one is counted as lost",
    ),
    resultCharacters: numberSetting(1_000, 0, 1_000_000, "how much of a successful call's result is kept"),
    episodeDays: days(90, "how long full records are kept"),
    packAfterHours: hours(24, "quiet time after which a session is packed into an episode"),
    recoveryWithin: numberSetting(5, 1, 20, "calls after a failure in which a success counts as its recovery"),
    silentDays: days(7, "time without a hook after which an installed host counts as silent"),
    liveMinutes: numberSetting(15, 1, 1_440, "a session with an event this recent counts as live (minutes)"),
  },
  distil: {
    minCount: count(3, "failures of one cause needed to propose a rule"),
    minSessions: count(2, "sessions with that failure needed to propose a rule"),
    mineDays: days(90, "how far back miners look"),
    editRepeats: count(3, "identical edit corrections needed to propose a rule"),
    bypassRepeats: count(3, "bypasses of a skill needed to propose a rule"),
    ledgerMistakes: count(3, "ledger mistakes of one pattern needed to propose a rule"),
    violationsToEscalate: count(3, "violations after promotion that raise the level by one"),
    salienceStep: share(0.2, "salience gained with each rise of the level"),
    promoteObservations: count(5, "observations a mined candidate needs for approval"),
    promoteSessions: count(2, "sessions a mined candidate needs for approval"),
    promoteDays: days(7, "span of the evidence a mined candidate needs for approval"),
    promoteConfidence: share(0.6, "confidence a mined candidate needs for approval"),
    promoteQuietDays: days(14, "time without contradiction a candidate needs for approval"),
    promoteBonus: share(0.1, "confidence gained by approval"),
    maintainHours: hours(20, "shortest time between two maintenance runs"),
    reinforceBonus: share(0.03, "confidence gained when a shown rule was followed"),
    contradictPenalty: share(0.1, "confidence lost when a call that a shown rule warns against worked"),
    confidenceFloor: share(0.3, "confidence below which a rule is a candidate again"),
    decayPerDay: share(0.02, "confidence an unseen rule loses each day"),
    fundamentalObservations: count(20, "observations needed to propose a working rule for SOUL.md"),
    fundamentalConfidence: share(0.9, "confidence needed to propose a working rule for SOUL.md"),
    decaySlowing: count(10, "observations that halve the decay"),
    staleDays: days(60, "unseen time after which decay begins"),
    dormantDays: days(60, "unseen time after which a rule goes dormant"),
    retireDays: days(180, "unseen time after which a rule retires"),
    versionFade: share(0.1, "confidence a rule loses when its hosts have newer versions than its evidence"),
    versionSessions: count(
      3,
      "number of latest sessions of a host that must all have a newer release before rules lose confidence",
    ),
    skillSuggestions: count(5, "uses of a command without a skill needed to suggest one"),
    skillSuggestionDays: days(30, "how far back skill suggestions look"),
    proposePrecision: share(0.25, "lower bound of precision below which a condition is not proposed"),
    nudgePrecision: share(0.5, "lower bound of precision that allows a nudge"),
    holdPrecision: share(0.7, "lower bound of precision that allows holding a call once"),
    askPrecision: share(0.8, "lower bound of precision that allows asking"),
    denyPrecision: share(0.9, "lower bound of precision that allows denying"),
    holdOutOneIn: numberSetting(
      10,
      2,
      1_000,
      "one session in this many is in the control group of a rule, of facts or of answers",
    ),
    holdOutOpportunities: count(30, "expected opportunities below which there is no control group"),
    holdOut: flagSetting(true, "whether a control group of sessions is shown no rules, facts and answers"),
    proofError: numberSetting(0.05, 0.0001, 0.5, "error rate: how often a rule without effect may be called working"),
    drift: numberSetting(0.5, 0, 3, "how much attempt rates vary without any rule, in log odds"),
    noEffectWithin: numberSetting(0.3, 0.01, 0.9, "change of attempts, as a share, that counts as no effect"),
  },
  memory: {
    confirm: share(0.1, "confidence gained by a confirmation"),
    contradict: share(0.15, "confidence lost by a contradiction"),
    archiveBelow: share(0.2, "confidence below which a memory is archived"),
    staleDays: days(30, "time without use or confirmation after which a memory decays with every sweep"),
    staleDecay: share(0.1, "confidence a stale memory loses in one sweep"),
    nearDuplicate: share(0.85, "similarity from which two memories count as duplicates"),
    workingHours: numberSetting(24, 1, 24, "how long working memory is kept (hours)"),
    workingBytes: numberSetting(1_048_576, 1_024, 104_857_600, "largest working memory of a session (bytes)"),
    memoryFileCharacters: numberSetting(2_200, 100, 100_000, "most characters of MEMORY.md"),
    userFileCharacters: numberSetting(1_375, 100, 100_000, "most characters of USER.md"),
  },
  recall: {
    bootImportant: count(5, "memories shown at start by importance"),
    bootSimilar: count(10, "memories shown at start by similarity"),
    bootMost: count(15, "most memories shown at start"),
    bootShare: share(0.15, "largest share of the model's context window used at start"),
    bootRules: count(20, "most rules shown at start"),
    adviceLimit: count(5, "most rules, and most memories, shown with a prompt"),
    promptTokens: count(600, "most tokens added to one prompt"),
    sessionTokens: count(4_000, "most tokens added to one session"),
    identityCharacters: numberSetting(6_000, 500, 100_000, "most characters of the identity shown to a session"),
    exportCharacters: numberSetting(8_000, 500, 100_000, "most characters of the rules in a rules file"),
    remindAfter: count(8, "interactions after which a reminder to log is due"),
    insistAfter: count(30, "interactions after which the reminder becomes urgent"),
    otherSessionsMinutes: numberSetting(5, 1, 1_440, "how recent another session's work must be to be shown (minutes)"),
    holdCalls: flagSetting(true, "whether a precise rule may hold the first call it warns against, once a session"),
    answerFailures: flagSetting(
      true,
      "whether a failed call is answered with existing paths, lines, scripts and programs",
    ),
    answerMs: numberSetting(15, 1, 1_000, "time limit for reading files and programs for one answer (milliseconds)"),
    speakAtStart: flagSetting(true, "whether a session is shown anything when it starts"),
    sayFacts: flagSetting(true, "whether agents are shown facts of the workspace, before a call and at session start"),
    speakAtPrompt: flagSetting(true, "whether a session is shown anything with a prompt"),
    speakAtStop: flagSetting(
      true,
      "whether a session with a person at its screen may be reminded once before it stops",
    ),
  },
  search: {
    batchEmbedSeconds: numberSetting(
      300,
      0,
      86_400,
      "how long a batch of queries may first compute missing embeddings (seconds)",
    ),
    onceEmbedSeconds: numberSetting(
      2,
      0,
      600,
      "how long a single query on the command line may first compute missing embeddings (seconds)",
    ),
  },
  agents: {
    recalled: numberSetting(
      5,
      0,
      50,
      "most memories, and most earlier tasks, that a named agent recalls for a task; 0: nothing is recalled",
    ),
    historyCharacters: numberSetting(
      40_000,
      0,
      10_000_000,
      "how much of a session's working memory is sent with a prompt to a named agent (characters)",
    ),
  },
  chat: {
    mode: choiceSetting(chatModes, "ask", "what oldhand's own agent may do without a person's yes (docs/chat.md)"),
    iterations: count(
      200,
      "most model calls and tool calls of one turn, with its sub-agents; cheap tools do not count",
    ),
    subAgentIterations: count(60, "most model calls and tool calls of one sub-agent"),
    answerTokens: numberSetting(8_192, 256, 1_000_000, "most tokens of one answer of the model"),
    toolSeconds: numberSetting(600, 1, 86_400, "longest time of one tool call (seconds)"),
    contextFileCharacters: numberSetting(
      20_000,
      0,
      1_000_000,
      "most characters of AGENTS.md, CLAUDE.md and .cursorrules that the agent is shown, each",
    ),
    compactAt: numberSetting(
      0.8,
      0.1,
      0.95,
      "share of the model's context window above which the conversation is compacted before the next call",
    ),
    checkpointDays: days(30, "how long copies of changed files are kept for /undo"),
    checkpointMegabytes: numberSetting(500, 1, 1_000_000, "most disk space of copies for /undo (megabytes)"),
    checkpointFileMegabytes: numberSetting(
      20,
      1,
      2_000,
      "largest file that the agent may change: of a larger one no copy is kept for /undo (megabytes)",
    ),
    logDays: days(90, "how long the JSONL log of a session that is not used any more is kept"),
    approvalMinutes: numberSetting(
      60,
      1,
      10_080,
      "how long an action of oldhand's own agent waits for an answer; then it counts as rejected (minutes)",
    ),
    shellSeconds: numberSetting(120, 1, 600, "time limit of a command that names none (seconds)"),
    sandboxNetwork: flagSetting(false, "whether sandboxed commands may use the network"),
    mcpServers: tableSetting(
      {
        command: textSetting("", "program that starts the server; empty: it is reached by its URL"),
        args: listSetting("arguments of the program", "a line in config.json"),
        env: listSetting("names of environment variables that the program gets", "a line in config.json"),
        url: textSetting("", "URL of the server, if it is not started here", {
          pattern: "^(?:https?://\\S+)?$",
          asksFor: "a URL such as https://example.org/mcp",
        }),
        read: flagSetting(false, "whether its tools only read, so that calls need no approval"),
      },
      "MCP servers whose tools oldhand's own agent may call, by their names",
    ),
  },
  fetch: {
    allow: listSetting(
      "hosts and networks that oldhand's own agent may contact although they are on this machine or in a private network: HOST, HOST:PORT or ADDRESS/BITS",
      "a line in config.json",
    ),
  },
  webSearch: {
    engine: choiceSetting(["none", "searxng", "brave"], "none", "which service the tool web_search asks"),
    url: textSetting("", "base URL of the SearXNG server; for brave, only if it is not the usual one", {
      pattern: "^(?:https?://\\S+)?$",
      asksFor: "a URL such as https://searx.example.org",
    }),
    key: secretSetting("OLDHAND_SEARCH_KEY", "the key of the search service"),
  },
  mail: {
    host: textSetting("", "SMTP server of the tool mail; empty: the tool is absent"),
    port: numberSetting(587, 1, 65_535, "port of the SMTP server; 465 begins with TLS, others switch to it"),
    user: textSetting("", "user name at the SMTP server; empty: no sign-in"),
    password: secretSetting("OLDHAND_MAIL_PASSWORD", "the password at the SMTP server"),
    from: textSetting("", "address that mail is sent from"),
    plain: flagSetting(false, "whether mail may be sent without TLS"),
  },
  store: {
    networkFile: flagSetting(
      false,
      "whether a SQLite file on a network file system is opened; it may be damaged there, use PostgreSQL instead",
    ),
    busySeconds: numberSetting(10, 1, 600, "how long a command waits for another writer (seconds)"),
    hookBusyMs: numberSetting(120, 0, 250, "how long a hook waits for another writer (milliseconds)"),
    copyDays: numberSetting(
      7,
      0,
      90,
      "how long the local copy of the rules at ask and deny stops calls while a PostgreSQL server does not answer (days); 0: no copy",
    ),
  },
  models: {
    prices: textSetting("", "a JSON file whose prices override the built-in ones (docs/models.md)"),
    unknownPrice: choiceSetting(
      ["most-expensive", "refuse"],
      "most-expensive",
      "a model whose price is unknown counts at the highest known price, or is not called",
    ),
    use: listSetting("models that the router may choose, as PROVIDER/MODEL", "oldhand models add PROVIDER/MODEL"),
    default: textSetting(
      "",
      "default model, as PROVIDER/MODEL: it goes first while nothing is known about a kind of task; empty: the router chooses, and models test takes the first of models.use",
      {
        pattern: "^(?:[^\\s/]+/\\S+)?$",
        asksFor: "PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5",
      },
    ),
    endpoints: tableSetting(
      {
        url: textSetting("", "base URL of the API", {
          pattern: "^https?://\\S+$",
          asksFor: "a base URL such as http://127.0.0.1:8000/v1",
        }),
        kind: choiceSetting(endpointKinds, "openai-compatible", "which API it speaks"),
        keyEnv: textSetting("", "environment variable that holds its key; empty: it needs none", {
          pattern: "^(?:[A-Za-z_]\\w*)?$",
          asksFor: "the name of an environment variable, never the key itself",
        }),
      },
      "your own endpoints, in addition to the known providers, by name",
    ),
    costWeight: numberSetting(
      5,
      0,
      1_000_000,
      "how much quality one dollar is worth to the router for a moderate task; four times that for simple ones, a fifth for complex ones",
    ),
    secondWeight: numberSetting(0.002, 0, 1_000, "how much quality one second of waiting is worth to the router"),
    exploreShare: share(
      0.05,
      "share of the router's choices that may explore, in addition to 20 for each kind of task; 0: none explores",
    ),
    exploreDollars: numberSetting(
      0.05,
      0,
      1_000,
      "how much more than the best choice an exploring choice may cost (dollars)",
    ),
    chain: textSetting(
      "",
      "models to try after a failure, in this order, such as anthropic/claude-haiku-4-5,openai/gpt-5-mini; if empty, the router's order",
      { pattern: "^(?:[^\\s/,]+/[^\\s,]+(?:,[^\\s/,]+/[^\\s,]+)*)?$", asksFor: "provider/model, separated by commas" },
    ),
    retries: numberSetting(2, 0, 10, "how often a failed call is repeated with the same model"),
    attempts: numberSetting(6, 1, 50, "most attempts of one call, over all models"),
    retryMs: numberSetting(
      500,
      1,
      60_000,
      "wait before the first retry (milliseconds); each further wait is twice as long",
    ),
    retrySeconds: numberSetting(
      20,
      0,
      3_600,
      "longest wait before a retry (seconds); if a provider asks for more, the next model is tried",
    ),
    idleSeconds: numberSetting(120, 1, 3_600, "longest time between two events of a model's answer (seconds)"),
    callSeconds: numberSetting(1_800, 1, 86_400, "longest time of one attempt (seconds)"),
    breakerFailures: numberSetting(
      5,
      1,
      1_000,
      "after this many failures in a row, a provider is not called for a while",
    ),
    breakerSeconds: numberSetting(
      30,
      1,
      86_400,
      "how long a failing provider is not called (seconds); twice as long after each further failure, up to 20 times this",
    ),
    responseMinutes: numberSetting(60, 1, 525_600, "how long the response cache reuses an answer (minutes)"),
    secretsTo: textSetting(
      "loopback",
      "providers that receive secrets unchanged, separated by commas; loopback: those on this machine; none: no provider. All others receive placeholders",
      { pattern: "^[^\\s,]+(?:,[^\\s,]+)*$", asksFor: "names of providers, loopback, or none, separated by commas" },
    ),
  },
  work: {
    quietHours: textSetting(
      "",
      "hours of every day in which no job begins, such as 22:00-07:00, in the time zone of each worker; empty: none",
      {
        pattern: `^(?:|(?!0?(\\d{1,2}:\\d{2})-0?\\1$)${TIME_OF_DAY}-${TIME_OF_DAY})$`,
        asksFor: "two times of a day, from 0:00 to 23:59, such as 22:00-07:00",
      },
    ),
    lateSeconds: numberSetting(60, 1, 86_400, "a slot that is found later than this after its time is late (seconds)"),
    slotDays: days(90, "how long slots of jobs, alerts and pauses are kept"),
    breakerFailures: count(3, "failures in a row after which a job is not run for a while"),
    breakerMinutes: numberSetting(60, 1, 525_600, "how long a job that failed too often is not run (minutes)"),
    atOnce: numberSetting(2, 1, 64, "how many slots one worker runs at the same time"),
    leaseSeconds: numberSetting(30, 5, 3_600, "how long a worker that says nothing keeps its work (seconds)"),
    commandSeconds: numberSetting(3_600, 1, 86_400, "time limit of a job's command that names none (seconds)"),
    keepBackups: numberSetting(7, 1, 1_000, "how many daily backups the job `backup` keeps"),
  },
  goals: {
    mostAttempts: count(3, "attempts at a task that count, after which it is blocked"),
    cycleMinutes: numberSetting(50, 1, 1_440, "time limit of one cycle (minutes)"),
    cycleCost: numberSetting(2, 0, 10_000, "what the model calls of one cycle may cost (US dollars)"),
    snapshotHours: numberSetting(2, 0, 8_760, "a snapshot that is older than this is not used (hours)"),
    reflectHours: numberSetting(8, 0, 8_760, "time between two reflections, if enough was executed (hours)"),
    reflectExecutions: count(3, "executed tasks after which a reflection may follow"),
    reflectLatestHours: numberSetting(48, 1, 8_760, "time after which a reflection is due in any case (hours)"),
    proposals: numberSetting(2, 0, 20, "goals that one reflection may propose"),
    openProposals: numberSetting(4, 0, 100, "proposed goals that may wait for the owner; at that number none is added"),
    gapHours: numberSetting(6, 1, 8_760, "time without a cycle after which you are told (hours)"),
    worktreeDays: days(14, "how long the worktree and the branch of an ended attempt are kept"),
  },
  team: {
    machine: textSetting(
      "",
      "name of this machine in a shared mind and in messages between agents; empty: the computer's own name",
      {
        pattern: "^(?:|[a-z0-9][a-z0-9._-]{0,63})$",
        asksFor: "up to 64 small letters, digits, dots, dashes and underscores",
        env: "OLDHAND_MACHINE",
      },
    ),
  },
  messages: {
    keepDays: days(30, "how long messages between agents are kept"),
    mostWaiting: count(100, "messages of one sender that may wait; more are refused"),
  },
  serve: {
    port: numberSetting(4517, 0, 65_535, "port of the dashboard on loopback; 0 picks a free one"),
    bodyBytes: numberSetting(1_000_000, 1_000, 100_000_000, "largest accepted request body"),
  },
} as const satisfies Declared;
