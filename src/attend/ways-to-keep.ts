import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { thisMachine } from "../config.ts";
import type { LogAccess } from "../domain/advice/reminder.ts";
import { readHookKey } from "../observe/hosts/claude-code/hook-key.ts";
import { findHost } from "../observe/hosts/list.ts";
import type { InstallTarget } from "../observe/protocol/host.ts";
import { readHostFileTextIfReadable } from "../observe/wiring/host-file.ts";

/** How an agent of this host can store something: through our MCP tools, our commands, or not at all. */
export async function findWayToKeep(hostName: string, home: string): Promise<LogAccess> {
  const machine = thisMachine();
  if (await hasServer(hostName, { ...machine, home, project: null, command: [] })) return "tools";
  const names = machine.platform === "win32" ? ["oldhand.cmd", "oldhand.exe"] : ["oldhand"];
  const folders = (machine.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name)))) ? "commands" : "nothing";
}

async function hasServer(hostName: string, target: InstallTarget): Promise<boolean> {
  // The plugin includes the server.
  if (hostName === "claude-code") return readHookKey(target.home).kind !== "no hooks";
  const { mcp } = (await findHost(hostName)?.setup()) ?? {};
  const path = mcp?.path(target) ?? null;
  const text = path === null ? null : readHostFileTextIfReadable(path);
  if (mcp === undefined || text === null) return false;
  const others = mcp.without(text);
  return others !== null && others !== text;
}
