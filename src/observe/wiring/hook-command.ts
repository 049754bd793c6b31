import type { InstallTarget } from "../protocol/host.ts";

/**
 * The command line of a hook that is a process. For a team it does not depend on who wrote it: if oldhand is missing,
 * it discards the payload and prints the reply for a host that takes an empty one as a refusal.
 */
export function buildHookCommandLine(
  target: Pick<InstallTarget, "command" | "platform" | "team">,
  defaultReply = "",
): string {
  const command = target.command.map(quoteWord).join(" ");
  const otherwise = defaultReply === "" ? "cat >/dev/null" : `{ cat >/dev/null; echo '${defaultReply}'; }`;
  if (target.team === true) return `${WITHOUT_CERTIFICATES} ${command} 2>/dev/null || ${otherwise}`;
  return target.platform === "win32" ? command : `${WITHOUT_CERTIFICATES} ${command}`;
}

/** A command for a person, with the same program and home, followed by `words`. */
export function buildPersonCommandLine(
  { command }: Pick<InstallTarget, "command">,
  ...words: readonly string[]
): string {
  const [node = "", program = "", , , ...rest] = command;
  return [...[node, program].map(quoteWord), ...words, ...rest.map(quoteWord)].join(" ");
}

/** Loading a company's certificates takes Node longer than all our work, and hooks use no network. */
const WITHOUT_CERTIFICATES = "env -u NODE_EXTRA_CA_CERTS";

/** True if oldhand wrote this hook, whichever copy of oldhand it points to. */
export function isHookCommand(command: string, host: string): boolean {
  return new RegExp(`oldhand\\S*"? hook ${host}( --team 2>/dev/null \\|\\| .+|( --home .+)?)$`).test(command);
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`])/g, "\\$1")}"`;
}
