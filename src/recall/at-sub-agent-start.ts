import type { Context } from "../context.ts";
import { CHARACTERS } from "../domain/advice/window.ts";
import { compose, type Told } from "./compose.ts";
import { approvedFirst, HEADINGS, type Listener, ruleSections } from "./parts.ts";
import { sayableRules } from "./sayable-rules.ts";
import { stillTrueAtStart } from "./still-true.ts";

/** The rules where a sub-agent works, as much as a prompt may have: all else its task tells it. */
export async function atSubAgentStart(ctx: Pick<Context, "db" | "config">, to: Listener): Promise<Told | null> {
  const law = ctx.config.policy.recall;
  const sayable = await sayableRules(ctx, to);
  const rules = approvedFirst(await stillTrueAtStart(ctx.db, sayable, to.workspace), law.bootRules);
  const characters = Math.min(to.hears, law.promptTokens * CHARACTERS);
  const sections = ruleSections(rules, { ...HEADINGS, share: 1 });
  return compose("From oldhand, which remembers the sessions of this workspace.", sections, {
    characters,
    already: new Set(),
  });
}
