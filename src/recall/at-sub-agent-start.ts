import type { Context } from "../context.ts";
import { CHARACTERS_PER_TOKEN } from "../domain/advice/context-window.ts";
import { composeMessage, type Message } from "./compose-message.ts";
import { takeApprovedFirst, RULE_HEADINGS, type Recipient, toRuleSections } from "./message-parts.ts";
import { listSayableRules } from "./calls/sayable-rules.ts";

/** The rules for a sub-agent, within the budget of a prompt. Its task contains the rest. */
export async function composeAtSubAgentStart(
  ctx: Pick<Context, "db" | "clock" | "config">,
  to: Recipient,
): Promise<Message | null> {
  const policy = ctx.config.policy.recall;
  const rules = takeApprovedFirst(await listSayableRules(ctx, to), policy.bootRules);
  const characters = Math.min(to.maxCharacters, policy.promptTokens * CHARACTERS_PER_TOKEN);
  const sections = toRuleSections(rules, { ...RULE_HEADINGS, share: 1 });
  return composeMessage("From oldhand, which remembers the sessions of this workspace.", sections, {
    characters,
    already: new Set(),
  });
}
