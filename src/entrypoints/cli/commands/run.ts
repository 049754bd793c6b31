import { join } from "node:path";
import { resolveHome, thisMachine } from "../../../config.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { packageRoot } from "../../../lib/package-root.ts";
import { openContext } from "../../../mind.ts";
import { refuseSampleHome } from "../../../observe/imports/sample.ts";
import type { ServiceReport } from "../../../work/service/manage-service.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";
import { waitUntilStopped } from "./serve.ts";

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
    const isInstall = values["install"] === true;
    if (!isInstall && values["uninstall"] !== true) return work(globals);
    const { installService, uninstallService } = await import("../../../work/service/manage-service.ts");
    const unit = await requireUnit(globals.home);
    const report = isInstall ? installService(unit) : uninstallService(unit);
    process.stdout.write(globals.json ? `${JSON.stringify(report)}\n` : formatReport(report, isInstall));
    return report.trouble === null ? 0 : 1;
  },
};

async function work({ home, now, json }: { home: string | undefined; now: string | undefined; json: boolean }) {
  const stop = new AbortController();
  const mind = await openContext({ home, now, signal: stop.signal });
  try {
    const { runWorker } = await import("../../../work/run-worker.ts");
    const say = (line: string) => {
      const at = new Date(mind.clock.now()).toISOString();
      process.stdout.write(json ? `${JSON.stringify({ at, line })}\n` : `${at}  ${line}\n`);
    };
    void waitUntilStopped().then(() => stop.abort());
    say("works; stop it with Ctrl-C");
    await runWorker(mind, { signal: stop.signal, say });
    return 0;
  } finally {
    await mind.close();
  }
}

async function requireUnit(home: string | undefined) {
  const { makeServiceUnit } = await import("../../../work/service/service-unit.ts");
  const { userHome, platform, env } = thisMachine();
  const mind = resolveHome({ home });
  refuseSampleHome(mind);
  const unit = makeServiceUnit({
    ...{ platform, userHome, home: mind, node: process.execPath },
    userId: process.getuid?.() ?? 0,
    program: join(packageRoot(), "dist", "oldhand.cjs"),
    configHome: env["XDG_CONFIG_HOME"],
    searchPath: env["PATH"] ?? "",
  });
  if (unit === null)
    throw new OldhandError("unsupported", `oldhand knows no service manager of ${platform}`, {
      hint: "let your system run: oldhand run",
    });
  if (env["OLDHAND_DATABASE"])
    throw new OldhandError("config", "OLDHAND_DATABASE is set here, but a service does not have this environment", {
      hint: "oldhand config set database ADDRESS stores it, then unset the variable",
    });
  return unit;
}

function formatReport({ path, did, left, trouble }: ServiceReport, isInstall: boolean): string {
  const done = {
    wrote: `wrote ${path}`,
    replaced: `replaced ${path}`,
    kept: `${path} is in place already`,
    removed: `removed ${path}`,
    nothing: `there is no ${path}`,
  }[did];
  if (trouble === null) {
    const now = isInstall ? "`oldhand run` runs now, and whenever you log in." : "";
    return `${done}\n${did === "nothing" || now === "" ? "" : `${now}\n`}`;
  }
  const commands = left.map((words) => `  ${words.join(" ")}\n`).join("");
  const otherwise = isInstall
    ? "Without it, start `oldhand run` in a terminal, or from your system's start files.\n"
    : "";
  return `${done}\nThe service manager did not answer (${trouble}). When it does, run:\n${commands}${otherwise}`;
}
