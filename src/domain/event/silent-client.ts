import { findAddress } from "../shell/address.ts";
import { type ShellCommand, parseCommands, isShellTool } from "../shell/command.ts";
import { trivialPrograms } from "../shell/programs.ts";
import { findShellText } from "../shell/shell-text.ts";
import type { FailedCallOutput } from "./benign.ts";

/**
 * The error of a network client that was told to be silent (`curl -s`, `wget -q`), in the words that it prints
 * otherwise, from its documented exit codes. Null if it said something, or if the exit code may be another command's.
 */
export function explainSilentClient({ tool, input, exitCode, error }: FailedCallOutput): string | null {
  if (exitCode === null || !isShellTool(tool) || !saysNothing.test(error)) return null;
  const commands = parseCommands(findShellText(input) ?? "").filter((one) => !trivialPrograms.has(one.program));
  const [client, ...others] = commands;
  if (client === undefined || others.length > 0 || !(client.operator === null || client.operator === "&&")) return null;
  const explain = clients.get(client.program)?.get(exitCode);
  const address = explain === undefined ? null : findServer(client);
  if (explain === undefined || address === null) return null;
  return [`${client.program}: ${explain(address)} (from exit code ${exitCode})`, error].join("\n").trim();
}

/** Nothing, or the status `000` that `-w "%{http_code}"` prints where there is none. */
const saysNothing = /^[^A-Za-z]*$|^[^\n]{0,40}\b000\b[^\n]{0,40}$/;

interface Server {
  readonly host: string;
  readonly port: string;
}

const refused = ({ host, port }: Server) => `Failed to connect to ${host} port ${port}`;

const clients: ReadonlyMap<string, ReadonlyMap<number, (server: Server) => string>> = new Map([
  [
    "curl",
    new Map<number, (server: Server) => string>([
      [6, ({ host }) => `(6) Could not resolve host: ${host}`],
      [7, (server) => `(7) ${refused(server)}`],
    ]),
  ],
  ["wget", new Map([[4, refused]])],
]);

/** The only server that the call names; null if there are several. */
function findServer({ words, args }: ShellCommand): Server | null {
  const addresses = new Set(words.slice(1).flatMap((word) => findAddress(word) ?? []));
  const [address] = addresses.size > 0 ? addresses : new Set(args.flatMap((arg) => bareHost.exec(arg)?.[0] ?? []));
  if (addresses.size > 1 || address === undefined) return null;
  const [, host = address, port = "80"] = /^(.+?)(?::(\d+))?$/.exec(address) ?? [];
  return { host, port };
}

/** `example.test/menu`, without a scheme. */
const bareHost = /^(?:localhost|\d+(?:\.\d+){3}|[a-z][\w-]*(?:\.[\w-]+)*\.[a-z]{2,})(?=\/|$)/i;
