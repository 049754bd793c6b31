/**
 * The words in which programs say that they have no such option. Each library that reads options has its own.
 * `by` is the program that says it, `thing` the option.
 */
export const unknownOptionTexts: readonly RegExp[] = [
  // Most libraries: `rel: error: no such option: --x`, `Error: unknown flag: --x`, `bin/rel: illegal option -- x`.
  inOwnWords(
    /(?:unknown|unrecogni[sz]ed|invalid|illegal|unexpected|unsupported|bad) (?:command[- ]line )?(?:option|flag|argument|arguments|shorthand flag|switch|parameter)s?:?(?: --)? ["'`‘]?(?<thing>-{0,2}[\w-]+)/,
  ),
  inOwnWords(/(?:no such option|unknown predicate|unrecogni[sz]ed arguments?):? ["'`]?(?<thing>-[^\s"'`.]+)/),
  // bash, mix: `bash: --x: invalid option`, `--x : Unknown option`
  /^(?:(?<by>[\w.+/-]+): )?(?<thing>--?[\w-]+) ?: (?:[Uu]nknown|[Uu]nrecogni[sz]ed|[Ii]nvalid) option/,
  // getopt of Python, curl: `option --x not recognized`, `option --x: is unknown`
  /^(?:(?<by>[\w.+/-]+): )?(?:\w*Error: )?option (?<thing>--?[\w-]+):? (?:not recogni[sz]ed|is unknown)/,
  // Symfony
  /^\s*The "(?<thing>--?[\w-]+)" option does not exist\./,
  // .NET
  /^Unrecognized command or argument '(?<thing>-[^']+)'/,
  // Yarn
  /^Unknown Syntax Error: Unsupported option name \("(?<thing>-[^"]+)"\)/,
  // TypeScript
  /^error TS50(?:23|25): Unknown compiler option '(?<thing>-[^']+)'/,
  // Maven
  /^(?:\[ERROR\] )?Unable to parse command line options: Unrecognized option: (?<thing>-\S+)/,
  // Gradle
  /^(?:> )?Unknown command-line option ["'](?<thing>-[^"']+)/,
  /^CACError: Unknown option ["'`](?<thing>-[\w-]+)/,
  /^\W*Option ["'`]?(?<thing>[\w-]+)["'`]? (?:was|has been) (?:replaced by|removed|renamed)/,
  // Go
  /^flag provided but not defined: (?<thing>-\S+)/,
  // clap
  /^(?:error: )?(?:Found argument|unexpected argument) ["'](?<thing>[^"']+)/,
  // A program that does not know an option may take it for a file.
  /^[\w.+-]+:? (?<thing>--[\w-]+): [Nn]o such file or directory/,
];

/**
 * Before the words: the program, for argparse with its subcommand, the place in a Ruby script, a level, or the class of
 * an exception.
 */
function inOwnWords({ source }: RegExp): RegExp {
  return new RegExp(
    String.raw`^\s*(?:\S+:\d+:in [^:]{1,60}: |(?<by>[\w.+/-]+)(?:(?: [\w.:-]+){0,3}(?=: error: ))?: )?(?:\[?(?:error|fatal)\]?:? +|\w*Error(?: \[\w+\])?: )?${source}`,
    "i",
  );
}
