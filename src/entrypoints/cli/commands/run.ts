import { existsSync } from "node:fs";
import { join } from "node:path";
import { resolveHome, thisMachine } from "../../../config.ts";
import type { Context } from "../../../context.ts";
import { systemClock } from "../../../lib/clock.ts";
import { clockAt } from "../../../lib/clock-at.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { packageRoot } from "../../../lib/package-root.ts";
import { sleep } from "../../../lib/sleep.ts";
import { openContext } from "../../../mind.ts";
import { refuseSampleHome } from "../../../observe/imports/sample.ts";
import { countEvents } from "../../../store/events/events.ts";
import { hasAnySlot } from "../../../store/work/slots.ts";
import type { ServiceReport } from "../../../work/startup/install-unit.ts";
import type { ServiceUnit } from "../../../work/startup/startup-unit.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";
import { waitUntilStopped } from "./serve.ts";

export const runCommand: CliCommand = {
  name: "run",
  summary: "Runs due jobs until stopped. --install starts it with your system, --uninstall takes that back.",
  usage: "run [--install [--dry-run] | --uninstall [--dry-run]] [--now TIME]",
  words: 0,
  flags: [
    newFlag("install", "boolean", "write a service of your user that runs it, and start it"),
    newFlag("uninstall", "boolean", "stop and remove that service"),
    newFlag("dry-run", "boolean", "with --install or --uninstall: only print the file and the commands"),
  ],
  isOwnerOnly: () => true,
  run: async (_words, values, globals) => {
    const isInstall = values["install"] === true;
    const isUninstall = values["uninstall"] === true;
    const isDry = values["dry-run"] === true;
    if (isInstall && isUninstall) throw new OldhandError("usage", "--install and --uninstall exclude each other");
    if (isDry && !isInstall && !isUninstall)
      throw new OldhandError("usage", "--dry-run goes with --install or --uninstall", { hint: "oldhand run --help" });
    if (!isInstall && !isUninstall) return work(globals);
    if (isDry) {
      const would = await requireUnit(globals.home);
      return isInstall ? printUnit(would, globals.json) : printRemoval(would, globals.json);
    }
    const { installService, uninstallService } = await import("../../../work/startup/install-unit.ts");
    const unit = await requireUnit(globals.home);
    const report = isInstall ? installService(unit) : uninstallService(unit);
    process.stdout.write(globals.json ? `${JSON.stringify(report)}\n` : formatReport(report, isInstall));
    return report.trouble === null || report.isUnmanaged ? 0 : 1;
  },
};

function printUnit({ path, text, start }: ServiceUnit, json: boolean): number {
  const commands = start.map((words) => `  ${words.join(" ")}\n`).join("");
  process.stdout.write(
    json
      ? `${JSON.stringify({ path, text, commands: start })}\n`
      : `It would write ${path}:\n\n${text}\nand run:\n${commands}Nothing was changed.\n`,
  );
  return 0;
}

function printRemoval({ path, stop }: ServiceUnit, json: boolean): number {
  const isThere = existsSync(path);
  const commands = isThere ? stop : [];
  const words = commands.map((one) => `  ${one.join(" ")}\n`).join("");
  const text = isThere ? `It would remove ${path}, and run:\n${words}` : `There is no ${path}. `;
  process.stdout.write(json ? `${JSON.stringify({ path, isThere, commands })}\n` : `${text}Nothing was changed.\n`);
  return 0;
}

/** A worker that lives at another time would plan slots of that time, which are wrong for all others. */
async function requireNewMind({ db }: Pick<Context, "db">): Promise<void> {
  if (!(await hasAnySlot(db)) && (await countEvents(db)) === 0) return;
  throw new OldhandError("usage", "--now is for replays: this mind is in use, and would get slots of another time", {
    hint: "leave --now out, or use a new home: --home FOLDER",
  });
}

async function work({ home, now, json }: { home: string | undefined; now: string | undefined; json: boolean }) {
  const stop = new AbortController();
  void waitUntilStopped().then(() => stop.abort());
  const clock = clockAt(now) ?? systemClock;
  const say = (line: string) => {
    const at = new Date(clock.now()).toISOString();
    process.stdout.write(json ? `${JSON.stringify({ at, line })}\n` : `${at}  ${line}\n`);
  };
  const { waitForStore } = await import("../../../work/wait-for-store.ts");
  const outage = { at: null };
  const mind = await waitForStore({ clock: systemClock, outage, signal: stop.signal, sleep, say }, () =>
    openContext({ home, now, signal: stop.signal }),
  );
  if (mind === null) return 0;
  try {
    if (now !== undefined) await requireNewMind(mind);
    const { runWorker } = await import("../../../work/jobs/run-worker.ts");
    const { refused } = mind.store;
    const signal = refused === undefined ? stop.signal : AbortSignal.any([stop.signal, refused]);
    await runWorker(mind, { signal, say, outage });
    refused?.throwIfAborted();
    return 0;
  } finally {
    await mind.close();
  }
}

async function requireUnit(home: string | undefined) {
  const { makeServiceUnit } = await import("../../../work/startup/startup-unit.ts");
  const { userHome, platform, env } = thisMachine();
  const mind = resolveHome({ home });
  refuseSampleHome(mind);
  const unit = makeServiceUnit({
    ...{ platform, userHome, home: mind, node: process.execPath },
    userId: process.getuid?.() ?? 0,
    program: join(packageRoot(), "dist", "oldhand.cjs"),
    configHome: env["XDG_CONFIG_HOME"],
    searchPath: env["PATH"] ?? "",
    machine: env["OLDHAND_MACHINE"],
  });
  if (unit === null)
    throw new OldhandError("unsupported", `oldhand knows no service manager of ${platform}`, {
      hint: "let your system run: oldhand run",
    });
  if (env["OLDHAND_DATABASE"])
    throw new OldhandError("config", "OLDHAND_DATABASE is set here, but a service does not have this environment", {
      hint: "oldhand config set database ADDRESS stores it, then unset the variable",
    });
  if (platform === "win32" && env["OLDHAND_MACHINE"])
    throw new OldhandError("config", "OLDHAND_MACHINE is set here, but a Windows task does not have this environment", {
      hint: "oldhand config set team.machine NAME stores it, then unset the variable",
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
