import { join } from "node:path";
import type { CommandFile, InstallTarget } from "../protocol/host.ts";
import { buildPersonCommandLine } from "./hook-command.ts";

/**
 * What a host's user types to decide about rules. Whoever types one decides: where the host runs programs for a command,
 * what it does is done before the model is asked; elsewhere the model runs it, like any other program.
 */
export interface PersonCommand {
  readonly name: string;
  readonly description: string;
  /** What is typed after its name. */
  readonly argument: "ID" | null;
  readonly body: string;
}

/** How a host writes what its user types. */
export interface CommandSyntax {
  /** What stands for the words after the command's name; absent where the model reads them as they were typed. */
  readonly argument?: string;
  /** Puts what a program prints into the text; absent where the host runs none. */
  readonly output?: (command: string) => string;
}

/** Its owner typed the command: what it runs is the owner's word, though it runs in the shell of the agent. */
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
\`${run(FOR_OWNER_FLAG, "rules", "approve", "ID")}\`, \`${run(FOR_OWNER_FLAG, "rules", "reject", "ID")}\`, or to mute \`${run(FOR_OWNER_FLAG, "rules", "edit", "ID", "--level", "watch")}\`.
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
      body: `${output(run(FOR_OWNER_FLAG, "rules", "edit", rule, "--level", "watch"))}

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

/** Each command as a file of Markdown in a folder: `oldhand-review.md`, typed `/oldhand-review`. */
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

/** The same as skills, a folder each, for hosts whose users call skills by their names. */
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

/** By this a file is known, also one whose note goes on in other words. */
const MARK = "Written by `oldhand install`;";
export const COMMAND_FILE_NOTE = `${MARK} \`oldhand uninstall\` removes it.`;

/** A file of that name which its user wrote stays as it is. */
export function isCommandFile(text: string): boolean {
  return text.includes(MARK);
}
