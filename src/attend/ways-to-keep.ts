import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { thisMachine } from "../config.ts";
import type { WayToKeep } from "../domain/advice/remind.ts";
import { keyOfHooks } from "../observe/hosts/claude-code/hook-key.ts";
import { hostNamed } from "../observe/hosts/list.ts";
import type { Place } from "../observe/protocol/host.ts";
import { hostTextSeen } from "../observe/wiring/host-file.ts";

/** By what an agent of this host can write something down: our server's tools, our commands, or nothing that we know of. */
export async function wayToKeep(hostName: string, home: string): Promise<WayToKeep> {
  const machine = thisMachine();
  if (await hasServer(hostName, { ...machine, home, project: null, command: [] })) return "tools";
  const names = machine.platform === "win32" ? ["oldhand.cmd", "oldhand.exe"] : ["oldhand"];
  const folders = (machine.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name)))) ? "commands" : "nothing";
}

async function hasServer(hostName: string, place: Place): Promise<boolean> {
  // Its server comes with the plugin.
  if (hostName === "claude-code") return keyOfHooks(place.home).kind !== "no hooks";
  const { mcp } = (await hostNamed(hostName)?.setup()) ?? {};
  const path = mcp?.path(place) ?? null;
  const text = path === null ? null : hostTextSeen(path);
  if (mcp === undefined || text === null) return false;
  const others = mcp.without(text);
  return others !== null && others !== text;
}
