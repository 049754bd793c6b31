/**
 * Other names of one program, each with its module if an interpreter runs it. A rule about the program is about all of
 * them. Only names that contain the program's own: the first test on a stored call looks for that text.
 */
const aliases: ReadonlyMap<string, readonly string[]> = new Map([
  ["pip", ["pip3", "python -m pip", "python3 -m pip"]],
  ["node", ["nodejs"]],
  ["fd", ["fdfind"]],
  ["bat", ["batcat"]],
  ["make", ["gmake"]],
]);

/** The other names of a program; empty if there are none. */
export function listAliases(program: string): readonly string[] {
  const canonical = canonicalOf(program);
  return [canonical, ...(aliases.get(canonical) ?? [])].filter((name) => name !== program);
}

/** The words of a command under the program's first name: `python3 -m pip install x` is `pip install x`. */
export function withCanonicalProgram(words: readonly string[]): readonly string[] {
  const [program = "", second, module = ""] = words;
  if (second === "-m" && /^py(?:thon[\d.]*)?$/.test(program) && aliases.has(canonicalOf(module)))
    return [canonicalOf(module), ...words.slice(3)];
  const canonical = canonicalOf(program);
  return canonical === program ? words : [canonical, ...words.slice(1)];
}

function canonicalOf(program: string): string {
  // `pip3.12`
  const name = program.replace(/^(pip)[\d.]+$/, "$1");
  return canonical.get(name) ?? name;
}

const canonical: ReadonlyMap<string, string> = new Map(
  [...aliases].flatMap(([name, others]) =>
    others.filter((one) => !one.includes(" ")).map((one) => [one, name] as const),
  ),
);
