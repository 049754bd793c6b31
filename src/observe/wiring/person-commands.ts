import { join } from "node:path";
import type { CommandFile, InstallTarget } from "../protocol/host.ts";
import { buildPersonCommandLine } from "./hook-command.ts";

/**
 * A command that a host's user types to decide about rules. If the host runs programs for a command, it takes effect
 * before the model is called; otherwise the model runs it like any other program.
 */
export interface PersonCommand {
  readonly name: string;
  readonly description: string;
  /** What is typed after the name. */
  readonly argument: "ID" | null;
  readonly body: string;
}

/** How a host writes commands of its user. */
export interface CommandSyntax {
  /** The placeholder for the words after the command's name; absent if the model reads them as typed. */
  readonly argument?: string;
  /** Inserts a program's output into the text; absent if the host runs none. */
  readonly output?: (command: string) => string;
}

/** The owner typed the command, so it runs as the owner, although it runs in the agent's shell. */
export const FOR_OWNER_FLAG = "--for-owner";

export function personCommands(
  target: Pick<InstallTarget, "command">,
  syntax: CommandSyntax,
): readonly PersonCommand[] {
  const run = (...words: readonly string[]) => buildPersonCommandLine(target, ...words);
  const output = syntax.output ?? ((command: string) => `Run this command and use its output: \`${command}\``);
  const rule = syntax.argument ?? "ID";
  const whose = syntax.argument === undefined ? "ID is the rule that the user named after the command. " : "";
  return [
    {
      name: "review",
      description: "Lists rules that were learned here and wait for your decision",
      argument: null,
      body: `These rules wait for a decision:

${output(run("rules", "list", "--status", "candidate", "--workspace", "."))}

Show them to the user as a numbered list: the sentence, its level, its id. Ask which to approve, to reject or to
mute. Do not decide for the user. For each rule the user decides on, run one command:
\`${run(FOR_OWNER_FLAG, "rules", "approve", "ID")}\`, \`${run(FOR_OWNER_FLAG, "rules", "reject", "ID")}\`, or to mute \`${run(FOR_OWNER_FLAG, "rules", "mute", "ID")}\`.
If none waits, say so in one line.
`,
    },
    {
      name: "off",
      description: "Switches oldhand off in this folder: nothing is stored or shown",
      argument: null,
      body: `${output(run(FOR_OWNER_FLAG, "off", "--workspace", "."))}

Tell the user in one line what the command printed, and that the user can switch it on again in a terminal:
\`${run("on", "--workspace", ".")}\`
`,
    },
    {
      name: "mute",
      description: "Mutes one rule: it is still counted, but not shown",
      argument: "ID",
      body: `${output(run(FOR_OWNER_FLAG, "rules", "mute", rule))}

${whose}Tell the user in one line what the command printed. Change nothing else.
`,
    },
    {
      name: "why",
      description: "Shows why a rule exists and the calls it came from",
      argument: "ID",
      body: `${output(run("rules", "why", rule))}

${whose}Tell the user the rule, the calls it came from and how it changed since. Quote only what the command printed.
`,
    },
  ];
}

/** Each command as a Markdown file: `oldhand-review.md`, typed as `/oldhand-review`. */
export function markdownCommands(
  target: InstallTarget,
  folder: string,
  syntax: CommandSyntax & { readonly head?: readonly string[]; readonly hasHead?: boolean },
): readonly CommandFile[] {
  return personCommands(target, syntax).map((command) => ({
    path: join(folder, `oldhand-${command.name}.md`),
    text:
      syntax.hasHead === false
        ? `<!-- ${COMMAND_FILE_NOTE} -->\n${command.body}`
        : formatMarkdownCommand(command, syntax.head ?? []),
    typed: `/oldhand-${command.name}`,
  }));
}

/** The same as skills, one folder each, for hosts whose users call skills by name. */
export function skillCommands(
  target: InstallTarget,
  folder: string,
  syntax: CommandSyntax & { readonly head?: readonly string[]; readonly sign: "/" | "$" },
): readonly CommandFile[] {
  return personCommands(target, syntax).map((command) => ({
    path: join(folder, `oldhand-${command.name}`, "SKILL.md"),
    text: formatMarkdownCommand(command, [`name: oldhand-${command.name}`, ...(syntax.head ?? [])]),
    typed: `${syntax.sign}oldhand-${command.name}`,
  }));
}

export function formatMarkdownCommand(command: PersonCommand, head: readonly string[]): string {
  const fields = [
    `# ${COMMAND_FILE_NOTE}`,
    ...head,
    `description: ${JSON.stringify(command.description)}`,
    ...(command.argument === null ? [] : [`argument-hint: ${command.argument}`]),
  ];
  return `---\n${fields.join("\n")}\n---\n\n${command.body}`;
}

/** Identifies our files, also those of versions with another wording after it. */
const MARK = "Written by `oldhand install`;";
export const COMMAND_FILE_NOTE = `${MARK} \`oldhand uninstall\` removes it.`;

/** True if oldhand wrote it. A file of that name that the user wrote is left as it is. */
export function isCommandFile(text: string): boolean {
  return text.includes(MARK);
}
