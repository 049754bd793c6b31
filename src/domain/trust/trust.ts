import type { Actor } from "../actor.ts";
import { findInstruction } from "./instruction-like.ts";
import { leastTrusted } from "../memory/memory.ts";
import { type Level, type Origin, origins } from "../rule/rule.ts";

/**
 * The trust of something derived is the least trust of its sources. Texts of tools and files are evidence; they never
 * become a rule's wording.
 */
export function leastTrust(lineage: readonly Origin[]): Origin {
  return leastTrusted(lineage);
}

/**
 * True if a text may appear in a rule: only the owner's and agents' texts, unless they read like instructions to a
 * model.
 */
export function canBeQuoted(origin: Origin, text: string): boolean {
  return (origin === "owner" || origin === "agent") && findInstruction(text) === null;
}

/** Caps the level of a rule that nobody has reviewed: external rules stay silent until the owner decides. */
export function capLevelByOrigin(origin: Origin, level: Level): Level {
  return origin === "external" ? "watch" : level;
}

/** Returns a name chosen by others if it is safe in our sentences, else null. */
export function plainName(text: string): string | null {
  const name = text.trim();
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._:@/-]{0,59}$/u.test(name)) return null;
  const words = name.split(/[^\p{L}\p{N}]+/u);
  return words.length > MOST_WORDS || findInstruction(words.join(" ")) !== null ? null : name;
}

/** A name with more words is a sentence. */
const MOST_WORDS = 5;

/** The origin of what an actor writes. Actors that are not owner, tool, import or external count as agents. */
export function originOf(actor: Actor): Origin {
  if (actor.kind === "import") return "external";
  return origins.find((origin) => origin === actor.kind) ?? "agent";
}
