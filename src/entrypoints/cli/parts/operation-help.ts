import type { Operation } from "../../../operation.ts";
import { formatHelp } from "./help.ts";
import { listFlags } from "./operation-input.ts";

export function formatOperationHelp(operation: Operation): string {
  const flags = listFlags(operation);
  return formatHelp(
    `oldhand ${operation.name}${formatUsage(operation)}`,
    operation.summary,
    flags.filter((flag) => !operation.positional.includes(flag.name)),
    flags.filter((flag) => operation.positional.includes(flag.name)),
  );
}

/** ` ID [--limit N]`, from the schema. */
export function formatUsage(operation: Operation): string {
  const flags = listFlags(operation);
  const words = operation.positional.map((name) => {
    const flag = flags.find((one) => one.name === name);
    const word = `${name.toUpperCase()}${flag?.many ? "…" : ""}`;
    return ` ${flag?.required ? word : `[${word}]`}`;
  });
  const rest = flags
    .filter((flag) => !operation.positional.includes(flag.name))
    .toSorted((a, b) => Number(b.required) - Number(a.required))
    .map((flag) => {
      const word = `--${flag.canBeOff ? "[no-]" : ""}${flag.flag}${flag.type === "boolean" ? "" : ` ${flag.flag.toUpperCase()}`}`;
      return ` ${flag.required ? word : `[${word}]`}`;
    });
  return [...words, ...rest].join("");
}
