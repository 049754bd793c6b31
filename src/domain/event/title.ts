import { oneLine } from "../../lib/text.ts";

/**
 * Returns a title for a prompt; null if it says nothing on its own. Hosts put typed commands and their own additions
 * between tags.
 */
export function titleFrom(prompt: string): string | null {
  const command = /<command-name>\s*([^<]+?)\s*<\/command-name>/.exec(prompt)?.[1];
  const words = /<command-args>\s*([^<]+?)\s*<\/command-args>/.exec(prompt)?.[1];
  const own = prompt
    .replace(/<([\w-]+)>[^]*?<\/\1>/g, " ")
    .replace(/^\s*(?:Caveat: .*|# .* instructions.*|<[\w-]+>)\s*$/gim, " ")
    .trim()
    // A rule or a fence above the first words, and the mark of a heading.
    .replace(/^(?:(?:[^\p{L}\p{N}\n]*|`{3,}\w*)\n)+/u, "")
    .replace(/^#+\s+/, "");
  const said = own || [command, words].filter(Boolean).join(" ");
  return said === "" || /^\/?(?:clear|exit|quit|resume|compact)$/i.test(said) ? null : oneLine(said, 90);
}
