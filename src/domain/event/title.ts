import { oneLine } from "../../lib/text.ts";

/**
 * What somebody asked for, as a title; null where it says nothing by itself. Hosts put what their user typed as a command, and
 * what they add themselves, between tags.
 */
export function titleFrom(prompt: string): string | null {
  const command = /<command-name>\s*([^<]+?)\s*<\/command-name>/.exec(prompt)?.[1];
  const words = /<command-args>\s*([^<]+?)\s*<\/command-args>/.exec(prompt)?.[1];
  const own = prompt
    .replace(/<([\w-]+)>[^]*?<\/\1>/g, " ")
    .replace(/^\s*(?:Caveat: .*|# .* instructions.*|<[\w-]+>)\s*$/gim, " ")
    .trim();
  const said = own || [command, words].filter(Boolean).join(" ");
  return said === "" || /^\/?(?:clear|exit|quit|resume|compact)$/i.test(said) ? null : oneLine(said, 90);
}
