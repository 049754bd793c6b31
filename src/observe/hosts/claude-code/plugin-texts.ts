/** What the plugin says to the agent and offers to its user. */
export const skillText = `---
name: oldhand
description: Use when a command or edit failed that may have failed before, when the user asks what went wrong in earlier sessions, or when a note or a refusal that begins with "oldhand, rule" or "oldhand, held once by rule" arrives.
---

# oldhand

oldhand watches the calls of every session in this workspace, counts which ones keep failing, and puts a rule before
the call that would fail again. Most of its tools only read; \`mistake\`, \`win\` and \`remember\`
write.

- A note such as \`oldhand, rule r_…: …\` comes from what happened here, with evidence. Follow it unless you know better;
  \`oldhand rules why ID\` shows the calls behind it.
- Before a command that you are unsure of, \`match\` tells whether a rule warns against it.
- After an error you do not understand, \`recall\` with its telling words finds where it occurred before and what
  was done then.
- \`report\` lists the mistakes that are repeated most.

Rules are the user's to decide: your shell refuses to approve, edit, remove or override them. If a rule seems wrong, tell the
user, who types \`oldhand approve ID\`, \`oldhand reject ID\` or \`oldhand mute ID\`.
`;

/**
 * What its user types. Whoever types one decides: what it does at once is run before the model is asked, and the model
 * cannot call it by itself. What the model is asked to run after it, the client asks its user about as about any command.
 */
export function commandTexts(run: (...words: readonly string[]) => string): Readonly<Record<string, string>> {
  return { ...toldTexts, ...decidedTexts(run) };
}

/** Its owner typed the command: what it runs is the owner's word, though it runs in the shell of the agent. */
const FOR_OWNER = "--for-owner";

function decidedTexts(run: (...words: readonly string[]) => string): Readonly<Record<string, string>> {
  const head = (description: string, allowed: string, more = "") => `---
description: ${description}
${more}allowed-tools: Bash(${allowed}:*)
disable-model-invocation: true
---
`;
  return {
    review: `${head("Rules that were learned here and wait for your decision", run("rules", "list"))}
These rules wait for a decision:

!\`${run("rules", "list", "--status", "candidate", "--workspace", ".")}\`

Show them to the user as a numbered list: the sentence, how hard it insists, its id. Ask which to approve, to reject or to
mute. Do not decide for the user. For each rule the user decides on, run one command:
\`${run(FOR_OWNER, "rules", "approve", "ID")}\`, \`${run(FOR_OWNER, "rules", "reject", "ID")}\`, or to mute \`${run(FOR_OWNER, "rules", "edit", "ID", "--level", "watch")}\`.
If none waits, say so in one line.
`,
    off: `${head("Switches oldhand off in this folder: nothing is stored, nothing is said", run(FOR_OWNER, "off"))}
!\`${run(FOR_OWNER, "off", "--workspace", ".")}\`

Tell the user in one line what this says, and that \`${run("on", "--workspace", ".")}\` switches it on again.
`,
    mute: `${head("Mutes one rule: it is still counted, and says nothing", run(FOR_OWNER, "rules", "edit"), "argument-hint: RULE_ID\n")}
!\`${run(FOR_OWNER, "rules", "edit", '"$ARGUMENTS"', "--level", "watch")}\`

Tell the user in one line what this says. Change nothing else.
`,
    why: `${head("Why a rule is there, down to the calls it came from", run("rules", "why"), "argument-hint: RULE_ID\n")}
!\`${run("rules", "why", '"$ARGUMENTS"')}\`

Tell the user the rule, the calls it came from and how it changed since. Quote nothing that is not written above.
`,
  };
}

const toldTexts: Readonly<Record<string, string>> = {
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
