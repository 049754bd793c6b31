import { homedir } from "node:os";
import { sep } from "node:path";
import type { Context } from "../../../context.ts";
import { waitsForReview } from "../../../domain/rule/unknown-cause.ts";
import { plural } from "../../../lib/text.ts";
import { hosts } from "../../../observe/hosts/list.ts";
import { inspectIntegration } from "../../../observe/installed/integration.ts";
import type { Host } from "../../../observe/protocol/host.ts";
import { listRules } from "../../../store/nouns/rules.ts";
import { newInstallTarget } from "./integrations.ts";

/** What to do after `start`, in one or two lines. */
export async function listNextSteps(
  ctx: Pick<Context, "db" | "config">,
  { isSample, isWired }: { readonly isSample: boolean; readonly isWired: boolean },
): Promise<readonly string[]> {
  const { home } = ctx.config;
  const waiting = (await listRules(ctx.db)).filter(waitsForReview).length;
  const found = isWired ? [] : await listUnwatchedHosts(home);
  const names = found.map((host) => host.title).join(", ");
  if (isSample)
    return [
      found.length === 0
        ? `Next: run \`${PROGRAM} start\` again after you have worked with a coding agent.`
        : `Next: \`${PROGRAM} install\` records ${names} from now on, in your own mind; \`${PROGRAM} uninstall\` undoes that.`,
      `To review the sample's rules: ${withSampleHome("review", home)}`,
    ];
  return [
    ...(waiting === 0
      ? []
      : [`Next: \`${PROGRAM} review\` shows ${plural(waiting, "new rule")}; you decide each with one key.`]),
    ...(found.length === 0
      ? []
      : [
          `${waiting === 0 ? "Next" : "Then"}: \`${PROGRAM} install\` shows ${names} the rules and keeps learning; \`${PROGRAM} uninstall\` undoes that.`,
        ]),
  ];
}

/** Hosts that are installed and can be wired, but are not. */
export async function listUnwatchedHosts(home: string): Promise<readonly Host[]> {
  const found: Host[] = [];
  for (const host of hosts) {
    const wired = await inspectIntegration(host, newInstallTarget(host, { project: null }, home));
    if (wired.found && wired.state === "not installed" && wired.ways.length > 0) found.push(host);
  }
  return found;
}

/** In a checkout, oldhand is not on the PATH, but npx finds it. */
const PROGRAM = process.env["npm_lifecycle_event"] === "start" ? "npx oldhand" : "oldhand";

/** The command with the sample's home, even if this shell has OLDHAND_DATABASE set. */
function withSampleHome(command: string, home: string): string {
  const user = homedir();
  const short = process.platform !== "win32" && home.startsWith(`${user}${sep}`) ? `~${home.slice(user.length)}` : home;
  const database = process.env["OLDHAND_DATABASE"] ? "OLDHAND_DATABASE= " : "";
  return `${database}${PROGRAM} ${command} --home ${short}`;
}
