import { endpointKinds } from "../model/endpoint.ts";
import { chatModes } from "./chat-mode.ts";
import {
  choiceSetting,
  countSetting,
  type Declared,
  daysSetting,
  flagSetting,
  listSetting,
  numberSetting,
  secretSetting,
  shareSetting,
  tableSetting,
  textSetting,
} from "./kinds.ts";

/** Settings of oldhand's own agent, of its tools, and of the models that it calls. */
export const agentSettings = {
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
    iterations: countSetting(
      200,
      "most model calls and tool calls of one turn, with its sub-agents; cheap tools do not count",
    ),
    subAgentIterations: countSetting(60, "most model calls and tool calls of one sub-agent"),
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
    checkpointDays: daysSetting(30, "how long copies of changed files are kept for /undo"),
    checkpointMegabytes: numberSetting(500, 1, 1_000_000, "most disk space of copies for /undo (megabytes)"),
    checkpointFileMegabytes: numberSetting(
      20,
      1,
      2_000,
      "largest file that the agent may change: of a larger one no copy is kept for /undo (megabytes)",
    ),
    logDays: daysSetting(90, "how long the JSONL log of a session that is not used any more is kept"),
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
    exploreShare: shareSetting(
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
} as const satisfies Declared;
