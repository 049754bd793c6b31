import type { InstallTarget } from "../../protocol/host.ts";
import { buildPersonCommandLine } from "../../wiring/hook-command.ts";
import { FOR_OWNER_FLAG, type PersonCommand, personCommands } from "../../wiring/person-commands.ts";

/** The skill that the plugin gives the agent. */
export const skillText = `---
name: oldhand
description: Use when a command or edit failed that may have failed before, when the user asks what went wrong in earlier sessions, or when a note or a refusal that begins with "oldhand, rule" or "oldhand, held once by rule" arrives.
---

# oldhand

oldhand observes the calls of every session in this workspace, counts which ones keep failing, and shows a rule before
a call that is likely to fail again. Most of its tools only read; \`mistake\`, \`win\` and \`remember\`
write.

- A note such as \`oldhand, rule r_…: …\` comes from what happened here, with evidence. Follow it unless you know better;
  \`oldhand rules why ID\` shows the calls behind it.
- Before a command that you are unsure of, \`match\` shows whether a rule warns against it.
- After an error you do not understand, \`recall\` with its key words finds where it occurred before and what
  was done then.
- \`report\` lists the most expensive repeated mistakes.

The user decides about rules: in your shell, oldhand refuses to approve, edit, remove or override them. If a rule seems wrong,
tell the user, who types \`oldhand approve ID\`, \`oldhand reject ID\` or \`oldhand mute ID\`.
`;

/** The commands that the user types. The model cannot invoke those that decide about rules. */
export function renderCommandFiles(target: Pick<InstallTarget, "command">): Readonly<Record<string, string>> {
  const commands = personCommands(target, { argument: '"$ARGUMENTS"', output: (command) => `!\`${command}\`` });
  return { ...promptTexts, ...Object.fromEntries(commands.map((one) => [one.name, renderCommandFile(target, one)])) };
}

function renderCommandFile(
  target: Pick<InstallTarget, "command">,
  { name, description, argument, body }: PersonCommand,
): string {
  return `---
description: ${description}
${argument === null ? "" : `argument-hint: ${argument}\n`}allowed-tools: Bash(${buildPersonCommandLine(target, ...(allowedCommands[name] ?? []))}:*)
disable-model-invocation: true
---

${body}`;
}

/** The commands that each file runs before the model is called. */
const allowedCommands: Readonly<Record<string, readonly string[]>> = {
  review: ["rules", "list"],
  off: [FOR_OWNER_FLAG, "off"],
  mute: [FOR_OWNER_FLAG, "rules", "mute"],
  why: ["rules", "why"],
};

const promptTexts: Readonly<Record<string, string>> = {
  mistakes: `---
description: The mistakes agents repeat here, and what they cost
---

Call oldhand's \`report\` tool. Show the repeated failures as a short table: what failed, how often, in how many sessions.
Then say which one is worth fixing first and why. Change nothing.
`,
  earlier: `---
description: What was done about this in earlier sessions
argument-hint: WORDS
---

Call oldhand's \`recall\` tool with "$ARGUMENTS". Summarise what was tried, what failed and what worked, naming
the sessions. Say so if nothing was found.
`,
};
