import type { Place } from "../protocol/host.ts";

/**
 * The command line of a hook that is a process. What a team shares is the same whoever wrote it: where there is no
 * oldhand it reads the payload away, and says what a host that takes nothing for a no must hear.
 */
export function hookCommand(place: Pick<Place, "command" | "platform" | "team">, silence = ""): string {
  const command = place.command.map(quote).join(" ");
  const otherwise = silence === "" ? "cat >/dev/null" : `{ cat >/dev/null; echo '${silence}'; }`;
  if (place.team === true) return `${WITHOUT_CERTIFICATES} ${command} 2>/dev/null || ${otherwise}`;
  return place.platform === "win32" ? command : `${WITHOUT_CERTIFICATES} ${command}`;
}

/** The same program and home, for a person's command: what follows are its words. */
export function personCommand({ command }: Pick<Place, "command">, ...words: readonly string[]): string {
  const [node = "", program = "", , , ...rest] = command;
  return [...[node, program].map(quote), ...words, ...rest.map(quote)].join(" ");
}

/** Reading a company's certificates takes Node longer than all we do, and we speak to nobody. */
const WITHOUT_CERTIFICATES = "env -u NODE_EXTRA_CA_CERTS";

/** A hook we wrote, by what its command says, whichever copy of oldhand it points to. */
export function isHookCommand(command: string, host: string): boolean {
  return new RegExp(`oldhand\\S*"? hook ${host}( --team 2>/dev/null \\|\\| .+|( --home .+)?)$`).test(command);
}

function quote(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`])/g, "\\$1")}"`;
}
