/**
 * The option of BSD programs (macOS) that does what an option of the GNU programs does. Agents learn the GNU ones and
 * meet the others on a Mac. Only programs that show something, and only where both do the same with the same arguments.
 */
export function findBsdOption(program: string, option: string, listed: string): string | null {
  const found = equivalents.get(`${program} ${option}`);
  if (found === undefined) return null;
  // The program's own usage must list it: versions differ.
  return [...found.slice(1)].every((letter) => listed.includes(letter)) ? found : null;
}

const equivalents: ReadonlyMap<string, string> = new Map([
  ["cat -A", "-et"],
  ["cat -E", "-e"],
  ["cat -T", "-t"],
  ["du --max-depth", "-d"],
  ["ls --color", "-G"],
]);
