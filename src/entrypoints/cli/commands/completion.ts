import { OldhandError } from "../../../lib/errors.ts";
import { operations } from "../../../operations.ts";
import { aliases } from "../parts/aliases.ts";
import { listFlags, globalFlags } from "../parts/arguments.ts";
import type { CliCommand } from "../parts/command.ts";

const shells = ["bash", "zsh", "fish"] as const;

export function newCompletionCommand(commands: () => readonly CliCommand[]): CliCommand {
  return {
    name: "completion",
    summary: "Prints a completion script for bash, zsh or fish.",
    usage: `completion ${shells.join("|")}`,
    words: 1,
    flags: [],
    run: async ([shell]) => {
      process.stdout.write(renderScript(shell, listWordsAfter(commands())));
      return 0;
    },
  };
}

/** The words that may follow: `""` → commands, `"rules"` → its verbs and flags. */
function listWordsAfter(commands: readonly CliCommand[]): ReadonlyMap<string, readonly string[]> {
  const after = new Map<string, Set<string>>();
  const add = (before: string, words: readonly string[]) =>
    after.set(before, new Set([...(after.get(before) ?? []), ...words]));
  const globals = globalFlags.map((flag) => `--${flag.flag}`);
  for (const command of commands) {
    add("", [command.name]);
    add(command.name, [...command.flags.map((flag) => `--${flag.flag}`), ...globals]);
  }
  for (const operation of operations.filter((one) => one.surfaces.includes("cli"))) {
    const [first = "", second] = operation.name.split(" ");
    add("", [first]);
    const own = listFlags(operation).flatMap(({ flag, canBeOff }) => [
      `--${flag}`,
      ...(canBeOff ? [`--no-${flag}`] : []),
    ]);
    const flags = [...own, ...globals];
    if (second !== undefined) add(first, [second]);
    // A noun alone lists, so it takes the list's flags.
    if (second === "list") add(first, flags);
    add(operation.name, flags);
  }
  add(
    "",
    Object.keys(aliases).filter((short) => !short.includes(" ")),
  );
  return new Map([...after].map(([before, words]) => [before, [...words].toSorted()]));
}

function renderScript(shell: string | undefined, after: ReadonlyMap<string, readonly string[]>): string {
  const cases = [...after].map(([before, words]) => `    "${before}") echo "${words.join(" ")}" ;;`).join("\n");
  const choose = `_oldhand_words() {\n  case "$1" in\n${cases}\n  esac\n}\n`;
  if (shell === "bash") {
    return `${choose}_oldhand() {
  local words="\${COMP_WORDS[1]} \${COMP_WORDS[2]}" choices=""
  if [ "$COMP_CWORD" -gt 2 ]; then choices=$(_oldhand_words "$words"); fi
  if [ "$COMP_CWORD" -gt 1 ] && [ -z "$choices" ]; then choices=$(_oldhand_words "\${COMP_WORDS[1]}"); fi
  if [ "$COMP_CWORD" -eq 1 ]; then choices=$(_oldhand_words ""); fi
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _oldhand -o default oldhand
`;
  }
  if (shell === "zsh") {
    return `#compdef oldhand
${choose}_oldhand() {
  local choices=""
  if (( CURRENT > 3 )); then choices=$(_oldhand_words "$words[2] $words[3]"); fi
  if (( CURRENT > 2 )) && [[ -z "$choices" ]]; then choices=$(_oldhand_words "$words[2]"); fi
  if (( CURRENT == 2 )); then choices=$(_oldhand_words ""); fi
  compadd -- \${=choices}
  _files
}
compdef _oldhand oldhand
`;
  }
  if (shell === "fish") {
    const lines = [...after].map(([before, words]) =>
      before === ""
        ? `complete -c oldhand -n "__fish_use_subcommand" -a "${words.join(" ")}"`
        : `complete -c oldhand -n "string match -q -- '${before}*' (string join ' ' (commandline -opc)[2..])" -a "${words.join(" ")}"`,
    );
    return `${lines.join("\n")}\n`;
  }
  throw new OldhandError("usage", shell === undefined ? "which shell?" : `no completion for ${shell}`, {
    hint: `oldhand completion ${shells.join("|")}`,
  });
}
