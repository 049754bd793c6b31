import { z } from "zod";
import { loadValues, writeSetting } from "../config.ts";
import { checkTyped } from "../domain/settings/check.ts";
import { settings } from "../domain/settings/declared.ts";
import { type Row, rowsOf, settingAt } from "../domain/settings/paths.ts";
import { OldhandError } from "../lib/errors.ts";
import { operation } from "../operation.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const configOf = operation({
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
  output: z.array(z.object({ path: z.string(), value, default: value.nullable(), summary: z.string() })),
  run: async ({ config: { home } }, input) => {
    if (input.action === "set") {
      const path = required(input.path, "which setting");
      const typed = required(input.value, "the new value");
      writeSetting(home, path, typed === "default" ? undefined : fromTyped(path, typed));
    }
    const rows = rowsOf(settings, loadValues({ home })).map(shown);
    if (input.action === "list") return rows;
    const path = required(input.path, "which setting");
    const row = rows.find((one) => one.path === path);
    if (!row)
      throw new OldhandError("not-found", `there is no setting "${path}"`, { hint: "oldhand config lists them" });
    return [row];
  },
  render: (rows) =>
    rows.map((row) => `${row.path.padEnd(36)} ${String(row.value).padEnd(10)} ${row.summary}`).join("\n"),
});

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
