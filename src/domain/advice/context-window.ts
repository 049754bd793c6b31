/** How many tokens a model's context holds, as far as its name tells; what is unknown is taken for the smallest of today's large ones. */
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

/** As far as one can tell without a model: four characters each. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

export const CHARACTERS_PER_TOKEN = 4;
