import { resemblesBypass } from "../risk/bypass-words.ts";
import type { RemedyOrigin } from "../rule/rule.ts";
import type { OptionWord } from "./word-changes.ts";

/** One difference between the call that failed and the one that worked: where it comes from, and why it is not taught. */
export interface RemedyPart {
  readonly origin: RemedyOrigin;
  readonly reason: string | null;
}

export const named: RemedyPart = { origin: "named", reason: null };
export const correction: RemedyPart = { origin: "correction", reason: null };
export const added: RemedyPart = { origin: "option", reason: null };

export function other(reason: string): RemedyPart {
  return { origin: "other", reason };
}

export function judgeProtection(option: OptionWord): readonly RemedyPart[] {
  return resemblesBypass(option.name, option.value) ? [withheldOption(option)] : [];
}

export function withheldOption({ name, value }: OptionWord): RemedyPart {
  const text = value === null ? name : `${name} ${value}`;
  return other(`\`${text}\` may switch off a protection, a question or a check, delete something or raise privileges`);
}
