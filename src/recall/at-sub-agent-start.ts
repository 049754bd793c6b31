import type { Context } from "../context.ts";
import { CHARACTERS } from "../domain/advice/window.ts";
import { compose, type Told } from "./compose.ts";
import { type Listener, rulePart } from "./parts.ts";
import { sayableRules } from "./sayable-rules.ts";

/** The rules in force where a sub-agent works, as much as a prompt may have: all else its task tells it. */
export async function atSubAgentStart(ctx: Pick<Context, "db" | "config">, to: Listener): Promise<Told | null> {
  const law = ctx.config.policy.recall;
  const rules = (await sayableRules(ctx, to)).slice(0, law.bootRules);
  const characters = Math.min(to.hears, law.promptTokens * CHARACTERS);
  const section = { heading: "Rules in force here, hardest first:", share: 1, parts: rules.map(rulePart) };
  return compose("From oldhand, which remembers the sessions of this workspace.", [section], {
    characters,
    already: new Set(),
  });
}
