import { z } from "zod";
import { thisMachine } from "../../config.ts";
import type { Context } from "../../context.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { readLastHeartbeat } from "../../lib/heartbeat.ts";
import { plural } from "../../lib/text.ts";
import { type Host, integrationWays } from "../../observe/protocol/host.ts";
import { hosts } from "../../observe/hosts/list.ts";
import { buildInstallTarget, inspectIntegration } from "../../observe/installed/integration.ts";
import { defineOperation } from "../../operation.ts";
import { listHostsLastSeen } from "./hosts-last-seen.ts";

const hostShape = z
  .object({
    host: z.string(),
    title: z.string(),
    found: z.boolean().describe("the product was found on this machine"),
    installed: z.boolean().describe("our hooks are in place"),
    verified: z.boolean().describe("tried against the real product"),
    state: z.enum(["watching", "installed, never heard", "silent", "not installed", "no hooks", "not here"]),
    ways: z
      .array(z.object({ way: z.enum(integrationWays), wired: z.boolean().nullable() }))
      .describe("how it can be connected to oldhand; wired is null if nothing has to be written on this machine"),
    lastAt: z.string().nullable().describe("time of its newest event, imported ones included"),
    firedAt: z.string().nullable().describe("when one of its hooks last fired on this machine"),
    events: z.number(),
    findings: z.array(
      z.object({
        level: z.enum(["ok", "note", "problem"]),
        about: z.enum(["missing", "stale", "shadowed", "untrusted", "never fired", "silent"]).optional(),
        what: z.string(),
        hint: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "Host" });

const list = defineOperation({
  name: "hosts list",
  summary: "Lists every host: whether it is on this machine, whether it is connected, and when it was last heard.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({}),
  output: z.object({ hosts: z.array(hostShape) }),
  run: async (ctx) => {
    const seen = new Map((await listHostsLastSeen(ctx.db, ctx.within)).map((one) => [one.host, one]));
    const rows = [];
    for (const host of hosts) rows.push(await hostOut(ctx, host, seen.get(host.name)));
    return { hosts: rows };
  },
  render: ({ hosts: all }) => [...formatTable(all), ...all.flatMap(listTodo)].join("\n"),
});

const suggestHooks = defineOperation({
  name: "suggest hooks",
  summary:
    "Lists problems in the wiring of hosts on this machine (missing, stale, shadowed, untrusted, silent), each with a fix.",
  effect: "read",
  needs: "config",
  input: z.object({ host: z.string().optional().describe("only this host") }),
  output: z.object({
    suggestions: z.array(
      z.object({ host: z.string(), trouble: z.string(), what: z.string(), hint: z.string().nullable() }),
    ),
    looked: z.number().describe("number of hosts on this machine"),
  }),
  run: async (ctx, input) => {
    if (input.host !== undefined && !hosts.some((host) => host.name === input.host))
      throw new OldhandError("usage", `there is no host ${input.host}`, {
        hint: `hosts: ${hosts.map((host) => host.name).join(", ")}`,
      });
    const rows = [];
    for (const host of hosts)
      if (input.host === undefined || input.host === host.name) rows.push(await hostOut(ctx, host, undefined));
    // Only the first of each kind of problem per host: what repairs its hooks also repairs its commands.
    const suggestions = rows.flatMap(({ host, findings }) =>
      findings.flatMap(({ about, what, hint }, at) =>
        about === undefined || findings.findIndex((other) => other.about === about) < at
          ? []
          : [{ host, trouble: about, what, hint }],
      ),
    );
    return { suggestions, looked: rows.filter((one) => one.found).length };
  },
  render: ({ suggestions, looked }) =>
    suggestions.length === 0
      ? `Nothing to suggest: ${plural(looked, "host")} on this machine, all heard.`
      : suggestions
          .map((one) => `${one.trouble}: ${one.what}${one.hint === null ? "" : `\n    ${one.hint}`}`)
          .join("\n"),
});

export const hostOperations = [list, suggestHooks] as const;

/** The titles of the hosts whose hooks are installed on this machine. */
export async function listWatchedHosts(ctx: Context): Promise<readonly string[]> {
  const titles: string[] = [];
  for (const host of hosts) if ((await hostOut(ctx, host, undefined)).installed) titles.push(host.title);
  return titles;
}

type HostOut = z.infer<typeof hostShape>;

async function hostOut(
  ctx: Context,
  host: Host,
  seen: { readonly last_at: number; readonly events: number } | undefined,
): Promise<HostOut> {
  const place = buildInstallTarget(host, thisMachine(), { home: ctx.config.home, project: null });
  // A heartbeat has no workspace, and an agent may only see its own.
  const isConfined = ctx.within !== undefined;
  const firedAt = isConfined ? null : readLastHeartbeat(ctx.config.home, host.name);
  const { silentDays } = ctx.config.policy.observe;
  const wired = await inspectIntegration(
    host,
    place,
    isConfined ? undefined : { lastAt: firedAt, now: ctx.clock.now(), silentDays },
  );
  return {
    host: host.name,
    title: host.title,
    found: wired.found,
    installed: wired.installed,
    verified: host.verified,
    state: wired.state,
    ways: wired.ways.map((one) => ({ ...one })),
    lastAt: seen === undefined ? null : iso(seen.last_at),
    firedAt: firedAt === null ? null : iso(firedAt),
    events: seen?.events ?? 0,
    findings: [...wired.findings],
  };
}

function formatTable(all: readonly HostOut[]): string[] {
  const rows = all.map((one) => [
    one.host,
    one.verified ? one.state : `${one.state} (unverified)`,
    formatWays(one),
    one.lastAt === null ? "never heard" : `last heard ${one.lastAt}`,
    plural(one.events, "event"),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

/** The channels in use now; for a host that is not installed, all possible ones. */
function formatWays({ found, ways: all }: HostOut): string {
  const shown = found ? all.filter((one) => one.wired !== false) : all;
  return shown.map((one) => one.way).join(", ") || "–";
}

function listTodo(one: HostOut): string[] {
  return one.findings
    .filter((finding) => finding.level !== "ok")
    .flatMap((finding) => [`· ${finding.what}`, ...(finding.hint === null ? [] : [`    ${finding.hint}`])]);
}
