import type { InstallTarget } from "../protocol/host.ts";

/**
 * The command line of a hook that is a process. What a team shares is the same whoever wrote it: where there is no
 * oldhand it reads the payload away, and says what a host that takes nothing for a no must hear.
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

/** The same program and home, for a person's command: what follows are its words. */
export function buildPersonCommandLine(
  { command }: Pick<InstallTarget, "command">,
  ...words: readonly string[]
): string {
  const [node = "", program = "", , , ...rest] = command;
  return [...[node, program].map(quoteWord), ...words, ...rest.map(quoteWord)].join(" ");
}

/** Reading a company's certificates takes Node longer than all we do, and we speak to nobody. */
const WITHOUT_CERTIFICATES = "env -u NODE_EXTRA_CA_CERTS";

/** A hook we wrote, by what its command says, whichever copy of oldhand it points to. */
export function isHookCommand(command: string, host: string): boolean {
  return new RegExp(`oldhand\\S*"? hook ${host}( --team 2>/dev/null \\|\\| .+|( --home .+)?)$`).test(command);
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`])/g, "\\$1")}"`;
}
