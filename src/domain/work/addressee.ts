/** The names by which messages reach an agent. */
export interface Addressee {
  /** Its exact name: `laptop/claude-code`. No two agents of different machines share it. */
  readonly exact: string;
  /** All names it answers to, with the exact one. */
  readonly names: readonly string[];
  /** False for the owner, who gets only what is sent to `owner`. */
  readonly isAgent: boolean;
}

/**
 * An agent answers to the name of its host (any machine), to that of its machine (any agent there), and to both joined.
 */
export function addresseeOfHost(host: string, machine: string): Addressee {
  const exact = `${toName(machine)}/${toName(host)}`;
  return { exact, names: [exact, toName(host), toName(machine)], isAgent: true };
}

/** A name as it is stored and compared. */
export function toName(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "");
  return plain === "" ? "unnamed" : plain.slice(0, LONGEST_NAME);
}

const LONGEST_NAME = 64;
