import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { loadConfig, loadValues, offFolder, writeSetting } from "../config.ts";
import { checkTyped } from "../domain/settings/check.ts";
import { settings } from "../domain/settings/declared.ts";
import { type Row, rowsOf, settingAt } from "../domain/settings/paths.ts";
import { OldhandError } from "../lib/errors.ts";
import { nearestTo } from "../lib/nearest.ts";
import { noteSwitch } from "../observe/off-times.ts";
import { folderOf, fullPath } from "../observe/protocol/workspace.ts";
import { operation } from "../operation.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const configOf = operation({
  name: "config",
  summary:
    "Settings: all of them, one (get PATH), or a new value (set PATH VALUE; VALUE `default` takes the default again).",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: z.object({
    action: z.enum(["list", "get", "set"]).default("list").describe("what to do"),
    path: z.string().optional().describe("such as distil.minCount, or database"),
    value: z.string().optional().describe("the new value"),
  }),
  positional: ["action", "path", "value"],
  isOwnersAlone: ({ action }) => action === "set",
  output: z.array(z.object({ path: z.string(), value, default: value.nullable(), summary: z.string() })),
  run: async ({ config: { home }, clock }, input) => {
    if (input.action === "set") {
      const path = required(input.path, "which setting");
      const typed = required(input.value, "the new value");
      if (settingAt(settings, path) === null) throw unknownSetting(path, "config");
      writeSetting(home, path, typed === "default" ? undefined : fromTyped(path, typed));
      if (path === "off") noteSwitch(home, loadConfig({ home, env: {} }).off, clock.now());
    }
    const rows = rowsOf(settings, loadValues({ home })).map(shown);
    if (input.action === "list") return rows;
    const path = required(input.path, "which setting");
    const row = rows.find((one) => one.path === path);
    if (!row) throw unknownSetting(path, "not-found");
    return [row];
  },
  render: (rows) =>
    rows.map((row) => `${row.path.padEnd(36)} ${String(row.value).padEnd(10)} ${row.summary}`).join("\n"),
});

const switchInput = z.object({ workspace: z.string().optional().describe("only in this folder") });
const switched = z.object({
  off: z.boolean(),
  workspace: z.string().nullable(),
  stillOff: z
    .string()
    .nullable()
    .optional()
    .describe("what keeps it off in the folder concerned: another folder around it, or `everywhere`"),
});

const off = operation({
  name: "off",
  summary: "The off switch: hooks return at once, nothing is stored, nothing is said.",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: switchInput,
  output: switched,
  isOwnersAlone: () => true,
  run: async ({ config, clock }, input) => {
    if (input.workspace === undefined) writeSetting(config.home, "off", true);
    else if (!isFolder(input.workspace))
      throw new OldhandError("input", `there is no folder ${input.workspace}`, {
        hint: "oldhand off --workspace . switches it off in this folder",
      });
    else
      writeSetting(config.home, "offWorkspaces", [...new Set([...config.off.workspaces, folderOf(input.workspace)])]);
    noteSwitch(config.home, loadConfig({ home: config.home, env: {} }).off, clock.now());
    return { off: true, workspace: input.workspace === undefined ? null : folderOf(input.workspace) };
  },
  render: ({ workspace }) => (workspace === null ? "Off. `oldhand on` switches it on again." : `Off in ${workspace}.`),
});

const on = operation({
  name: "on",
  summary: "On again after `off`.",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: switchInput,
  output: switched,
  isOwnersAlone: () => true,
  run: async ({ config, clock }, input) => {
    if (input.workspace === undefined) writeSetting(config.home, "off", undefined);
    else {
      const left = config.off.workspaces.filter((one) => one !== folderOf(input.workspace ?? ""));
      writeSetting(config.home, "offWorkspaces", left.length > 0 ? left : undefined);
    }
    const now = loadConfig({ home: config.home, env: {} }).off;
    noteSwitch(config.home, now, clock.now());
    const stillOff = now.everywhere ? "everywhere" : offFolder(now, folderOf(input.workspace ?? "."));
    return { off: false, workspace: input.workspace === undefined ? null : folderOf(input.workspace), stillOff };
  },
  render: ({ workspace, stillOff }) => {
    if (stillOff === "everywhere") return `oldhand is still off everywhere: oldhand on`;
    const isHere = workspace === null && stillOff === folderOf(".");
    const left =
      stillOff == null
        ? ""
        : isHere
          ? " This folder is still off: oldhand on --workspace ."
          : ` ${workspace === null ? "This folder" : "It"} is still off, with ${stillOff}: oldhand on --workspace ${stillOff}`;
    return `${workspace === null ? "On." : `On in ${workspace}.`}${left}`;
  },
});

function isFolder(typed: string): boolean {
  const path = fullPath(typed);
  // A folder of another system cannot be looked at.
  return !isAbsolute(path) || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

export const settingOperations = [configOf, off, on] as const;

function unknownSetting(path: string, code: "config" | "not-found"): OldhandError {
  const paths = rowsOf(settings, {}).map((row) => row.path);
  const near = nearestTo(path, paths) ?? paths.find((one) => one.endsWith(`.${path}`)) ?? null;
  return new OldhandError(code, `there is no setting "${path}"`, {
    hint: `${near === null ? "" : `did you mean ${near}? `}oldhand config lists them`,
  });
}

interface Shown {
  readonly path: string;
  readonly value: z.infer<typeof value>;
  readonly default: z.infer<typeof value> | null;
  readonly summary: string;
}

function shown({ path, setting, value: held }: Row): Shown {
  const { summary } = setting;
  // A secret's value is nobody's to see, nor is the password in an address.
  if (setting.kind === "secret")
    return { path, value: held === null ? "not set" : "set", default: null, summary: `${summary} (${setting.env})` };
  const seen = typeof held === "string" ? held.replace(/:\/\/[^@/]*@/, "://…@") : value.parse(held);
  return { path, value: seen, default: setting.kind === "table" ? null : value.parse(setting.default), summary };
}

/** As the file would hold it; what does not fit is refused where it is written. */
function fromTyped(path: string, typed: string): unknown {
  const setting = settingAt(settings, path);
  if (setting?.kind === "list")
    throw new OldhandError("usage", `${path} is a list`, { hint: `${setting.changedBy} adds to it` });
  return setting === null ? typed : (checkTyped(setting, typed) ?? typed);
}

function required(given: string | undefined, what: string): string {
  if (given === undefined) throw new OldhandError("usage", `${what} is missing`, { hint: "oldhand config --help" });
  return given;
}
