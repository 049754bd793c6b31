// What is read off the source: the command page, the tables inside hand-written pages, the types of operations, and the schema of the settings.
import { settings } from "../src/domain/settings/declared.ts";
import { asksFor } from "../src/domain/settings/explain.ts";
import { type Declared, isSetting, type Setting } from "../src/domain/settings/kinds.ts";
import { retired } from "../src/domain/settings/retired.ts";
import { schemaOf } from "../src/domain/settings/schema.ts";
import { aliases } from "../src/entrypoints/cli/aliases.ts";
import { type FlagInfo, listFlags, globalFlags } from "../src/entrypoints/cli/arguments.ts";
import type { CliCommand } from "../src/entrypoints/cli/command.ts";
import { commands } from "../src/entrypoints/cli/commands.ts";
import { examples, groupCommands } from "../src/entrypoints/cli/groups.ts";
import { formatUsage } from "../src/entrypoints/cli/help.ts";
import type { Effect, Operation } from "../src/operation.ts";
import { operations } from "../src/operations.ts";
import { actionsText } from "./action-text.ts";
import { noticeText } from "./notice-text.ts";
import { operationTypes } from "./type-text.ts";

export interface Page {
  readonly path: string;
  /** The file as it should be, given as it is. */
  text(current: string): string | Promise<string>;
}

export const pages: readonly Page[] = [
  { path: "docs/cli.md", text: () => cliPage() },
  { path: "docs/http.md", text: (current) => renew(current, "routes", routes()) },
  { path: "docs/mcp.md", text: (current) => renew(current, "tools", tools()) },
  {
    path: "docs/config.md",
    text: (current) => renew(renew(current, "settings", settingTables()), "retired", retiredText()),
  },
  { path: "src/operation-types.ts", text: () => libraryTypes() },
  { path: "dashboard/src/api/contract.ts", text: () => dashboardTypes() },
  { path: "dashboard/src/actions/declared.ts", text: () => dashboardActions() },
  { path: "NOTICE", text: () => noticeText() },
  { path: "schemas/config.schema.json", text: () => `${JSON.stringify(schemaOf(settings), null, 2)}\n` },
];

const MADE = "Made by `node scripts/make-docs.mjs` from the table of operations; do not edit.";

function libraryTypes(): string {
  const head = `/** Input and answer of every operation, by its name, without a word of zod. ${MADE} */`;
  return operationTypes(operations, head, (name) => name);
}

function dashboardTypes(): string {
  const head = `/** What the HTTP API takes and answers. What it answers was written by others: it is shown as text only. ${MADE} */`;
  const onHttp = operations.filter((one) => one.surfaces.includes("http"));
  return operationTypes(onHttp, head, (name) => name.replaceAll(" ", "/"));
}

function dashboardActions(): string {
  return actionsText(operations, `/** What can be done over HTTP, for buttons, forms and commands. ${MADE} */`);
}

function cliPage(): string {
  const onCli = operations.filter((one) => one.surfaces.includes("cli"));
  return `${[
    "# Commands",
    "",
    "Made by `node scripts/make-docs.mjs` from the table of operations and the commands written by hand; do not edit. `oldhand COMMAND --help` says the same.",
    "",
    "Data goes to stdout, talk to stderr. A noun alone lists: `oldhand rules` is `oldhand rules list`. Without a command, `oldhand` prints help, or in a terminal runs `oldhand start --ask`.",
    "",
    `Short for more words: ${Object.entries(aliases)
      .map(([short, whole]) => `\`oldhand ${short}\` is \`oldhand ${whole.join(" ")}\``)
      .join(
        ", ",
      )}. A rule, a session or a memory is shown by its id alone: \`oldhand rules ID\`. Of an id its beginning is enough, as long as only one begins so.`,
    "",
    "In the shell of an agent, commands that are the owner's to give are refused ([security.md](security.md)).",
    "",
    "Every command takes:",
    "",
    flagTable(globalFlags),
    "",
    "| exit code | means |",
    "|---|---|",
    "| 0 | done |",
    "| 1 | a negative answer: nothing found, refused, shown but not done |",
    "| 2 | a usage error, or a problem of this machine; the message has a hint |",
    "| 70 | a bug in oldhand |",
    "| 130 | stopped by Ctrl-C: long work ends after the piece it is at; what was done is kept, and the same command goes on from there |",
    "",
    'With `--json` an error is one document on stdout too: `{"error": {"code", "message", "hint"}}`.',
    "",
    "Most are also an HTTP route ([http.md](http.md)) or an MCP tool ([mcp.md](mcp.md)); the last line of such a command says so, and the most it may do:",
    "",
    "| it says | means |",
    "|---|---|",
    ...Object.values(effectWords).map(([says, means]) => `| ${says} | ${means} |`),
    "",
    "For example:",
    "",
    "```text",
    ...examples.flatMap(([typed, does]) => [`# ${does}`, typed]),
    "```",
    ...groupCommands([...commands, ...onCli]).flatMap(({ title, members }) => [
      "",
      `## ${title}`,
      ...members.flatMap((one) => ("surfaces" in one ? operationSection(one) : commandSection(one))),
    ]),
  ].join("\n")}\n`;
}

function operationSection(operation: Operation): readonly string[] {
  const flags = listFlags(operation);
  const elsewhere = [
    ...(operation.surfaces.includes("http") ? [`HTTP \`POST ${routeOf(operation)}\``] : []),
    ...(operation.surfaces.includes("mcp") ? [`MCP \`${toolOf(operation)}\``] : []),
  ];
  return [
    "",
    `### oldhand ${operation.name}`,
    "",
    operation.summary,
    "",
    "```text",
    `oldhand ${operation.name}${formatUsage(operation)}`,
    "```",
    ...(flags.length === 0
      ? []
      : [
          "",
          flagTable(flags, (flag) =>
            operation.positional.includes(flag.name) ? flag.name.toUpperCase() : `--${flag.flag}`,
          ),
        ]),
    "",
    [effectWords[operation.effect][0], ...elsewhere].join(" · "),
  ];
}

const effectWords: Readonly<Record<Effect, readonly [says: string, means: string]>> = {
  read: ["Reads.", "nothing changes, in the database or in the home"],
  touches: [
    "Reads, and updates bookkeeping.",
    "it answers a question. It may write what follows from events, markers and files that were there already, what it counted, and what was shown or used",
  ],
  write: ["Writes.", "it changes something; what is journalled can be undone"],
  spends: ["Spends.", "it costs money or a model's time"],
  destroys: ["Destroys.", "it loses something that cannot be brought back"],
};

function commandSection(command: CliCommand): readonly string[] {
  return [
    "",
    `### oldhand ${command.name}`,
    "",
    command.summary,
    "",
    "```text",
    `oldhand ${command.usage}`,
    "```",
    ...(command.flags.length === 0 ? [] : ["", flagTable(command.flags)]),
  ];
}

function routes(): string {
  return [
    "| route | does | body |",
    "|---|---|---|",
    ...operations
      .filter((one) => one.surfaces.includes("http"))
      .map((one) => `| \`POST ${routeOf(one)}\` | ${cell(one.summary)} | ${bodyOf(one)} |`),
  ].join("\n");
}

function tools(): string {
  return [
    "| tool | does | effect | input |",
    "|---|---|---|---|",
    ...operations
      .filter((one) => one.surfaces.includes("mcp"))
      .map((one) => `| \`${toolOf(one)}\` | ${cell(one.summary)} | ${one.effect} | ${bodyOf(one)} |`),
  ].join("\n");
}

function settingTables(): string {
  const single = Object.fromEntries(Object.entries(settings).filter(([, one]) => isSetting(one as Setting)));
  const groups = Object.entries(settings as Declared).flatMap(([name, one]) =>
    isSetting(one) ? [] : [[`### ${name}`, "", settingTable(one, `${name}.`)].join("\n")],
  );
  return [settingTable(single, ""), ...groups].join("\n\n");
}

function settingTable(declared: Declared, at: string): string {
  return [
    "| setting | default | takes | decides |",
    "|---|---|---|---|",
    ...Object.entries(declared).flatMap(([name, one]) =>
      isSetting(one) ? [`| \`${at}${name}\` | ${defaultOf(one)} | ${cell(asksFor(one))} | ${cell(one.summary)} |`] : [],
    ),
  ].join("\n");
}

function retiredText(): string {
  return `${retired.map((path) => `\`${path}\``).join(", ")}.`;
}

function defaultOf(setting: Setting): string {
  if (setting.kind === "secret" || setting.kind === "table" || setting.kind === "list") return "–";
  return cell(String(setting.default));
}

function flagTable(flags: readonly FlagInfo[], nameOf = (flag: FlagInfo) => `--${flag.flag}`): string {
  return [
    "| flag | does |",
    "|---|---|",
    ...flags.map((flag) => {
      const more = [flag.values.join(", "), flag.fallback === null ? "" : `default ${flag.fallback}`].filter(Boolean);
      return `| \`${nameOf(flag)}\` | ${cell(flag.summary)}${more.length === 0 ? "" : ` (${more.join("; ")})`} |`;
    }),
  ].join("\n");
}

function bodyOf(operation: Operation): string {
  const flags = listFlags(operation);
  return flags.length === 0 ? "–" : flags.map((flag) => `\`${flag.name}\`${flag.required ? "" : "?"}`).join(", ");
}

function routeOf(operation: Operation): string {
  return `/api/${operation.name.replaceAll(" ", "/")}`;
}

function toolOf(operation: Operation): string {
  return operation.mcpName ?? operation.name.replaceAll(" ", "_");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** What is between the two marks is ours; the rest is its writer's. */
function renew(current: string, name: string, text: string): string {
  const [begin, end] = [`<!-- made from the source: ${name} -->`, "<!-- end -->"];
  const from = current.indexOf(begin);
  const to = current.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`no place for "${name}" between ${begin} and ${end}`);
  return `${current.slice(0, from + begin.length)}\n\n${text}\n\n${current.slice(to)}`;
}
