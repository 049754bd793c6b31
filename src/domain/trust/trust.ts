import type { Actor } from "../actor.ts";
import { findInstruction } from "./instruction-like.ts";
import { leastTrusted } from "../memory/memory.ts";
import { type Level, type Origin, origins } from "../rule/rule.ts";

/**
 * Trust runs downhill: what is made of several things is trusted as the least of them. Words of tools and files are
 * evidence; they never become a rule's wording, whatever they say.
 */
export function leastTrust(lineage: readonly Origin[]): Origin {
  return leastTrusted(lineage);
}

/** Whether somebody's own words may stand in a rule: a person's and an agent's, unless they read like orders to a model. */
export function canBeQuoted(origin: Origin, text: string): boolean {
  return (origin === "owner" || origin === "agent") && findInstruction(text) === null;
}

/** How hard a rule may insist that nobody has decided on: what came from outside waits for the owner. */
export function capLevelByOrigin(origin: Origin, level: Level): Level {
  return origin === "external" ? "watch" : level;
}

/** A name that somebody else chose, to be put into a sentence of ours: a name and nothing more, or null. */
export function plainName(text: string): string | null {
  const name = text.trim();
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._:@/-]{0,59}$/u.test(name)) return null;
  const words = name.split(/[^\p{L}\p{N}]+/u);
  return words.length > MOST_WORDS || findInstruction(words.join(" ")) !== null ? null : name;
}

/** A name of more words is a sentence. */
const MOST_WORDS = 5;

/** What an actor writes comes from it; whoever is neither owner, tool nor from outside is an agent. */
export function originOf(actor: Actor): Origin {
  if (actor.kind === "import") return "external";
  return origins.find((origin) => origin === actor.kind) ?? "agent";
}
