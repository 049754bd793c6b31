import { findShellText } from "../../domain/shell/shell-text.ts";

/**
 * A sentence with options as they were typed: `-refresh=only`, where all failing calls wrote them so. The traits that
 * sentences are made of do not keep the sign.
 */
export function withTypedOptions(
  text: string,
  traits: readonly string[],
  failures: readonly { readonly event: { readonly input: unknown } }[],
): string {
  return traits.reduce((said, trait) => {
    const [, option, value] = /^arg (--?[A-Za-z][\w-]*) (\S+)$/.exec(trait) ?? [];
    if (option === undefined || value === undefined) return said;
    const typed = `${option}=${value}`;
    const isTyped = failures.every(({ event }) => (findShellText(event.input) ?? "").includes(typed));
    return isTyped ? said.replaceAll(`${option} ${value}\``, `${typed}\``) : said;
  }, text);
}
