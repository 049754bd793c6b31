import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, type Drive, npmClient } from "../client.ts";
import type { DrivenHost } from "../driven.ts";
import type { Lab } from "../lab.ts";

const drive: Drive = {
  program: "cline",
  model: "openai",
  words: (prompt) => ["--json", "-P", "openai-compatible", "-m", "scripted", ...(prompt === null ? [] : [prompt])],
  env: () => ({ MODEL_URL: "{model}", CLINE_TELEMETRY_DISABLED: "1", CLINE_NO_AUTO_UPDATE: "1" }),
};

export const cline: DrivenHost = {
  name: "cline",
  client: withAuth(npmClient({ folder: "cline", package: "cline", version: "3.0.65" }, drive)),
  prepare: () => {},
  settle: async (lab) => {
    await hooksOver(lab);
    await endDaemon(lab);
  },
  shell: (command) => ({ tool: "run_commands", input: { commands: [command] } }),
  tool: (name, input) => ({ tool: `oldhand__${name}`, input }),
};

/** Cline reads the model only from its settings, which it writes itself. */
function withAuth(client: Client): Client {
  if (client.kind === "absent") return client;
  const auth = '"$0" auth -p openai-compatible -k fake-key-not-real -m scripted -b "$MODEL_URL" >/dev/null 2>&1';
  return { ...client, command: ["sh", "-c", `${auth}; exec "$0" "$@"`, ...client.command] };
}

/** Waits for the hooks at the end of a session, because Cline does not. */
export async function hooksOver(lab: Lab): Promise<void> {
  for (let i = 0; i < 100 && running(lab, /oldhand\.cjs/).length > 0; i++) await pause();
}

/** Ends the process that Cline leaves running for later sessions; it writes to Cline's files until then. */
export async function endDaemon(lab: Lab): Promise<void> {
  const left = () => running(lab, /--cline-hub-daemon/);
  for (const pid of left()) process.kill(Number(pid));
  for (let i = 0; i < 50 && left().length > 0; i++) await pause();
  for (const pid of left()) process.kill(Number(pid), "SIGKILL");
}

function running(lab: Lab, what: RegExp): readonly string[] {
  return lab.processes().filter((pid) => what.test(commandOf(pid)));
}

function commandOf(pid: string): string {
  const file = join("/proc", pid, "cmdline");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100));
}
