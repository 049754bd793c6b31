/**
 * Estimates a model's context window in tokens from its name. Unknown models get the smallest of today's large windows.
 */
export function estimateContextWindow(model: string | null): number {
  const name = (model ?? "").toLowerCase();
  const sizeInName = /(?:^|[^a-z0-9])(\d{1,4})(k|m)(?![a-z0-9])/.exec(name);
  if (sizeInName) return Number(sizeInName[1]) * (sizeInName[2] === "m" ? 1_000_000 : 1_000);
  return families.find(([family]) => family.test(name))?.[1] ?? 128_000;
}

const families: readonly (readonly [RegExp, number])[] = [
  [/claude|sonnet|opus|haiku|fable/, 200_000],
  [/gemini/, 1_000_000],
  [/gpt-5|codex/, 400_000],
];

/** Estimates tokens without a model: four characters per token. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

export const CHARACTERS_PER_TOKEN = 4;
