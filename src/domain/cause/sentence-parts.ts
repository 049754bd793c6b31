export interface SentenceParts {
  /** What to do if no alternative is known. */
  act(here: string): string;
  readonly why: string;
}

export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

export function traitOf(traits: readonly string[] | undefined, kind: string): string | null {
  return traits?.find((trait) => trait.startsWith(kind))?.slice(kind.length) ?? null;
}
