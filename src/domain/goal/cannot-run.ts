/** Why a command says nothing about the work: it could not be run at all. Null if it could. */
export function explainCannotRun({
  exitCode,
  output,
}: {
  readonly exitCode: number | null;
  readonly output: string;
}): string | null {
  if (exitCode === 126) return "its program cannot be run (exit 126)";
  if (exitCode === 127) return "its program is not there (exit 127)";
  for (const [pattern, say] of missing) {
    const found = pattern.exec(output);
    if (found !== null) return say(found[1] ?? "");
  }
  return null;
}

const missing: readonly (readonly [RegExp, (name: string) => string])[] = [
  // A path is a file of the project, which the work may have to make; a bare name is a package.
  [/Cannot find (?:module|package) ["']([^"'./\\][^"']*)["']/, (name) => `the package ${name} is missing`],
  [/No module named ["']?(pytest|tox|nox|coverage|hypothesis|setuptools)\b/, (name) => `the module ${name} is missing`],
  [/Missing script:? "?([\w:.-]+)/i, (name) => `there is no script ${name}`],
  [/(?:could not read|ENOENT).*?(package\.json)/i, (name) => `there is no ${name}`],
  [/No rule to make target ["'`‘]?([^"'`’.]+)/, (name) => `there is no target ${name}`],
  [/(No targets specified and no makefile found)/, () => "there is no Makefile"],
  [
    /(?:^|\n)(?:\S*sh|env|make)(?:\[\d+\])?:[^\n]*?([\w./-]+): (?:command )?not found/,
    (name) => `the program ${name} is not there`,
  ],
];
