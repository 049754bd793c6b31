import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { ChatOptions } from "../../../src/converse/session/open-chat-session.ts";
import { HOUR } from "../../../src/lib/clock.ts";
import { type ChatLab, hear } from "./chat-lab.ts";

const shell = (command: string) => ({ tool: "shell", input: { command } });

/** A program with an option that it does not know, and says so at length. */
const KILN = `#!/bin/sh
case "$1" in
--plaid) for i in $(seq 60); do echo "kiln: shelf $i is checked before the options are read"; done
  echo "error: unknown option '--plaid'. Did you mean '--bisque'?" >&2; exit 2;;
*) echo fired;;
esac
`;
export const MISTAKE = "bin/kiln --plaid cup";
export const kilnFiles = { "bin/kiln": KILN };

/** Sessions in which the model makes the mistake and then does it right. */
export async function plantMistake(lab: ChatLab, sessions: number, options: Partial<ChatOptions> = {}): Promise<void> {
  chmodSync(join(lab.cwd, "bin/kiln"), 0o755);
  for (let at = 0; at < sessions; at++) {
    const session = await lab.open(options);
    await hear(session.send(`fire cup ${at}`));
    lab.clock.advance(HOUR);
    await session.close();
  }
}

/** Makes the mistake in each planted session, then as the test says. */
export function newScript(planted: number, after: readonly ScriptedStep[]) {
  const planting = Array.from({ length: planted }, () => [
    { command: MISTAKE },
    { command: "bin/kiln --bisque cup" },
    { text: "Fired." },
  ]).flat();
  const all: readonly ScriptedStep[] = [...planting, ...after];
  return (_request: unknown, at: number) => {
    const { text = "", command, commands = command === undefined ? [] : [command] } = all[at] ?? { text: "Done." };
    return commands.length === 0 ? { text } : { text, calls: commands.map(shell) };
  };
}

interface ScriptedStep {
  readonly text?: string;
  readonly command?: string;
  /** In one answer. */
  readonly commands?: readonly string[];
}
