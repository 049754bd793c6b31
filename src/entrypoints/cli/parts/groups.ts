/** Commands that help lists under one title. */
export interface CommandGroup<T> {
  readonly title: string;
  readonly members: readonly T[];
}

/** Grouped by the first word of the name, most useful first. Commands in no group come last. */
const groupWords: readonly { readonly title: string; readonly words: readonly string[] }[] = [
  { title: "Start here", words: ["start", "install", "status", "today", "report", "review", "serve"] },
  {
    title: "Rules",
    words: ["rules", "learn", "match", "override", "distil", "suggest", "export", "import-rules"],
  },
  {
    title: "What agents did",
    words: ["sessions", "workspaces", "find", "import", "facts", "answers", "stats", "trend", "daily", "hosts"],
  },
  { title: "Memory", words: ["remember", "recall", "memories", "advice", "working", "markers", "embed"] },
  { title: "Ledger: mistakes and wins", words: ["mistake", "win", "ledger"] },
  { title: "History and undo", words: ["undo", "history", "why", "at", "forget"] },
  { title: "Identity", words: ["init", "soul"] },
  { title: "Its own agent", words: ["chat", "ask", "approvals"] },
  { title: "Models", words: ["models", "agents"] },
  { title: "Goals", words: ["goal", "task", "comment", "cycle", "snapshot", "reflect", "reflections", "letter"] },
  { title: "Jobs and messages", words: ["job", "run", "pause", "resume", "message"] },
  {
    title: "Settings and repair",
    words: ["config", "off", "on", "doctor", "uninstall", "backup", "restore", "redact", "completion"],
  },
  { title: "Maintenance (runs automatically)", words: ["maintain", "promote", "reinforce", "decay"] },
  { title: "Hooks, MCP, benchmarks and simulation", words: ["hook", "mcp", "bench", "sim"] },
];

const REST = "More";

export function groupCommands<T extends { readonly name: string }>(all: readonly T[]): readonly CommandGroup<T>[] {
  const wordOf = (one: T) => one.name.split(" ", 1)[0] ?? one.name;
  const known = new Set(groupWords.flatMap(({ words }) => words));
  return [
    ...groupWords.map(({ title, words }) => ({
      title,
      members: words.flatMap((word) => all.filter((one) => wordOf(one) === word)),
    })),
    { title: REST, members: all.filter((one) => !known.has(wordOf(one))) },
  ].filter(({ members }) => members.length > 0);
}

/** Examples for new users; each works as typed. */
export const examples: readonly (readonly [typed: string, does: string])[] = [
  ["oldhand start", "import your agents' transcripts and see their repeated mistakes"],
  ["oldhand install", "show your agents the rules and learn from their work"],
  ["oldhand review", "approve or reject proposed rules, with one key each"],
  ['oldhand learn "Use pnpm here" --command "npm install"', "write a rule yourself"],
  ["oldhand search docker daemon", "search all recorded sessions"],
  ["oldhand undo", "undo your last change"],
];
