import type { Place } from "./host.ts";

/** The command line of a hook that is a process. */
export function hookCommand(place: Pick<Place, "command" | "platform">): string {
  const command = place.command.map(quote).join(" ");
  // Reading a company's certificates takes Node longer than all we do, and we speak to nobody.
  return place.platform === "win32" ? command : `env -u NODE_EXTRA_CA_CERTS ${command}`;
}

/** A hook we wrote, by what its command says, whichever copy of oldhand it points to. */
export function isHookCommand(command: string, host: string): boolean {
  return new RegExp(`oldhand\\S*"? hook ${host}( --home .+)?$`).test(command);
}

function quote(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`])/g, "\\$1")}"`;
}
