import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { loadConfig, loadValues, findOffFolder } from "../config.ts";
import type { Context } from "../context.ts";
import { parseTypedValue } from "../domain/settings/check.ts";
import { settings } from "../domain/settings/declared.ts";
import { type SettingRow, listSettingRows, findSetting } from "../domain/settings/paths.ts";
import { OldhandError } from "../lib/errors.ts";
import { findNearestName } from "../lib/nearest.ts";
import { recordSwitch } from "../observe/off-times.ts";
import { resolveTypedWorkspace, resolvePath } from "../observe/protocol/workspace.ts";
import { defineOperation } from "../operation.ts";
import {
  changeSettings,
  formatJournalled,
  type JournalledSettings,
  journalledShape,
  notesOfJournal,
} from "./shared/change-settings.ts";
import { checkModelSetting } from "./models/check-setting.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const configOf = defineOperation({
  name: "config",
  summary:
    "Lists all settings, prints one (get PATH), changes one (set PATH VALUE) or restores its default (unset PATH).",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: z.object({
    action: z.enum(["list", "get", "set", "unset"]).default("list").describe("what to do"),
    path: z.string().optional().describe("the setting, such as distil.minCount or database"),
    value: z.string().optional().describe("the new value"),
  }),
  positional: ["action", "path", "value"],
  isOwnerOnly: ({ action }) => action === "set" || action === "unset",
  output: z.array(
    z.object({
      path: z.string(),
      value,
      default: value.nullable(),
      summary: z.string(),
      changes: journalledShape.changes.optional(),
      unjournalled: journalledShape.unjournalled.optional(),
    }),
  ),
  run: async (ctx, input) => {
    const { config, clock } = ctx;
    const { home } = config;
    let journalled: JournalledSettings | undefined;
    if (input.action === "set" || input.action === "unset") {
      const path = requireArgument(input.path, "which setting");
      const typed = input.action === "unset" ? "default" : requireArgument(input.value, "the new value");
      if (findSetting(settings, path) === null) throw unknownSetting(path, "config");
      checkModelSetting(config, path, typed);
      const change = [path, typed === "default" ? undefined : parseTyped(path, typed)] as const;
      journalled = await changeSettings(ctx, `config ${input.action}`, [change]);
      if (path === "off") recordSwitch(home, loadConfig({ home, env: {} }).off, clock.now());
    }
    const rows = listSettingRows(settings, loadValues({ home })).map(settingOut);
    if (input.action === "list") return rows;
    const path = requireArgument(input.path, "which setting");
    const found = rows.filter((one) => one.path === path || one.path.startsWith(`${path}.`));
    const setting = findSetting(settings, path);
    // A table without entries has no rows.
    if (found.length === 0 && setting?.kind === "table")
      return [{ path, value: "none", default: null, summary: setting.summary }];
    if (found.length === 0) throw unknownSetting(path, "not-found");
    return found.map((row, at) => (at === 0 ? { ...row, ...journalled } : row));
  },
  notes: (rows) => rows.flatMap(({ unjournalled = null }) => notesOfJournal({ unjournalled })),
  render: (rows) =>
    [
      rows.map((row) => `${row.path.padEnd(36)} ${String(row.value).padEnd(10)} ${row.summary}`).join("\n"),
      ...rows.map(({ changes = [] }) => formatJournalled({ changes })),
    ].join(""),
});

const switchInput = z.object({ workspace: z.string().optional().describe("only for this folder") });
const switched = z.object({
  off: z.boolean(),
  workspace: z.string().nullable(),
  stillOff: z
    .string()
    .nullable()
    .optional()
    .describe("what still keeps it off there: a parent folder, or `everywhere`"),
  ...journalledShape,
});

const off = defineOperation({
  name: "off",
  summary: "Switches oldhand off: hooks return at once, nothing is stored, agents are shown nothing.",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: switchInput,
  output: switched,
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { config } = ctx;
    if (input.workspace !== undefined && !isFolder(input.workspace))
      throw new OldhandError("input", `there is no folder ${input.workspace}`, {
        hint: "oldhand off --workspace . switches it off in this folder",
      });
    const workspace = input.workspace === undefined ? null : resolveTypedWorkspace(input.workspace);
    const journalled = await changeSwitch(
      ctx,
      "off",
      workspace === null ? ["off", true] : ["offWorkspaces", [...new Set([...config.off.workspaces, workspace])]],
    );
    return { off: true, workspace, ...journalled };
  },
  notes: notesOfJournal,
  render: ({ workspace }) => (workspace === null ? "Off. `oldhand on` switches it on again." : `Off in ${workspace}.`),
});

const on = defineOperation({
  name: "on",
  summary: "Switches oldhand on again.",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: switchInput,
  output: switched,
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { config } = ctx;
    const left = config.off.workspaces.filter((one) => one !== resolveTypedWorkspace(input.workspace ?? ""));
    const journalled = await changeSwitch(
      ctx,
      "on",
      input.workspace === undefined ? ["off", undefined] : ["offWorkspaces", left.length > 0 ? left : undefined],
    );
    const now = loadConfig({ home: config.home, env: {} }).off;
    const stillOff = now.everywhere ? "everywhere" : findOffFolder(now, resolveTypedWorkspace(input.workspace ?? "."));
    return {
      off: false,
      workspace: input.workspace === undefined ? null : resolveTypedWorkspace(input.workspace),
      stillOff,
      ...journalled,
    };
  },
  notes: notesOfJournal,
  render: ({ workspace, stillOff }) => {
    if (stillOff === "everywhere") return `oldhand is still off everywhere: oldhand on`;
    const isHere = workspace === null && stillOff === resolveTypedWorkspace(".");
    const left =
      stillOff == null
        ? ""
        : isHere
          ? " This folder is still off: oldhand on --workspace ."
          : ` ${workspace === null ? "This folder" : "It"} is still off, with ${stillOff}: oldhand on --workspace ${stillOff}`;
    return `${workspace === null ? "On." : `On in ${workspace}.`}${left}`;
  },
});

/** The journal comes second: hooks obey the file at once. */
async function changeSwitch(
  ctx: Context,
  cause: string,
  change: readonly [path: string, value: unknown],
): Promise<JournalledSettings> {
  const { home } = ctx.config;
  const journalled = await changeSettings(ctx, cause, [change]);
  recordSwitch(home, loadConfig({ home, env: {} }).off, ctx.clock.now());
  return journalled;
}

function isFolder(typed: string): boolean {
  const path = resolvePath(typed);
  // A path of another operating system cannot be checked.
  return !isAbsolute(path) || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

export const settingOperations = [configOf, off, on] as const;

function unknownSetting(path: string, code: "config" | "not-found"): OldhandError {
  const paths = listSettingRows(settings, {}).map((row) => row.path);
  const near = findNearestName(path, paths) ?? paths.find((one) => one.endsWith(`.${path}`)) ?? null;
  return new OldhandError(code, `there is no setting "${path}"`, {
    hint: `${near === null ? "" : `did you mean ${near}? `}oldhand config lists them`,
  });
}

interface ShownSetting {
  readonly path: string;
  readonly value: z.infer<typeof value>;
  readonly default: z.infer<typeof value> | null;
  readonly summary: string;
}

function settingOut({ path, setting, value: current }: SettingRow): ShownSetting {
  const { summary } = setting;
  // Never shows a secret's value or the password in a URL.
  if (setting.kind === "secret")
    return { path, value: current === null ? "not set" : "set", default: null, summary: `${summary} (${setting.env})` };
  const seen = typeof current === "string" ? current.replace(/:\/\/[^@/]*@/, "://…@") : value.parse(current);
  return { path, value: seen, default: setting.kind === "table" ? null : value.parse(setting.default), summary };
}

/** The value as the file would contain it; an invalid one is refused when it is written. */
function parseTyped(path: string, typed: string): unknown {
  const setting = findSetting(settings, path);
  if (setting?.kind === "list")
    throw new OldhandError("usage", `${path} is a list`, { hint: `${setting.changedBy} adds to it` });
  return setting === null ? typed : (parseTypedValue(setting, typed) ?? typed);
}

function requireArgument(given: string | undefined, what: string): string {
  if (given === undefined) throw new OldhandError("usage", `${what} is missing`, { hint: "oldhand config --help" });
  return given;
}
