import { existsSync, readFileSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { resolveHome } from "../../../config.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { makeFolder } from "../../../lib/make-folder.ts";
import { replaceFile } from "../../../lib/replace-file.ts";
import { openContext } from "../../../mind.ts";
import { makeServiceUnit, type ServiceUnit } from "../../../work/service/service-unit.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";

export const runCommand: CliCommand = {
  name: "run",
  summary: "Runs due jobs until stopped. --install starts it with your system, --uninstall takes that back.",
  usage: "run [--install | --uninstall]",
  words: 0,
  flags: [
    newFlag("install", "boolean", "write a service of your user that runs it, and start it"),
    newFlag("uninstall", "boolean", "stop and remove that service"),
  ],
  isOwnerOnly: () => true,
  run: async (_words, values, globals) => {
    if (values["install"] === true) return installUnit(requireUnit(globals.home));
    if (values["uninstall"] === true) return uninstallUnit(requireUnit(globals.home));
    return work(globals.home);
  },
};
