import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { levels, scopeCovers } from "../../domain/rule/rule.ts";
import { OldhandError } from "../../lib/errors.ts";
import { findBlock, type BlockMarks, withBlock, withoutBlock } from "../../lib/marked-block.ts";
import { readPlainFile } from "../../lib/plain-file.ts";
import { removeFile, replaceFile } from "../../lib/replace-file.ts";
import { plural } from "../../lib/text.ts";
import type { Host } from "../../observe/protocol/host.ts";
import { hosts } from "../../observe/hosts/list.ts";
import { listRulesFiles, rulesMarks, settingMarks, type SharedRulesFile } from "../../observe/wiring/rules-files.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import { defineOperation } from "../../operation.ts";
import { dropUnsayableRules } from "../../recall/calls/drop-unsayable.ts";
import { keepTrueRules } from "../../recall/calls/keep-true-rules.ts";
import { renderExportedRules } from "../../recall/exported-rules.ts";
import { readAcceptedRisks } from "../../store/nouns/accepted-risks.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { exportTeam } from "./team-files.ts";

const fileShape = z
  .object({
    path: z.string(),
    hosts: z.array(z.string()).describe("hosts that read it"),
    change: z.enum(["make", "change", "remove", "none", "refused"]),
    why: z.string().nullable().describe("why it was refused, or what you still have to do"),
  })
  .meta({ id: "RulesFile" });

const exportRules = defineOperation({
  name: "export",
  summary:
    "Writes the rules in force and the unreviewed candidates to the rules files of hosts, between two markers. Without --write it only shows the changes.",
  effect: "write",
  byWorkspace: true,
  surfaces: ["cli"],
  input: z.object({
    workspace: z.string().default(".").describe("the folder whose rules are written to its files"),
    host: z.array(z.string()).default([]).describe("only the files of this host (repeatable); all hosts if omitted"),
    team: z
      .boolean()
      .default(false)
      .describe("write one file per rule to .oldhand/rules instead, for review and sharing"),
    remove: z.boolean().default(false).describe("remove oldhand's part from the files"),
    write: z.boolean().default(false).describe("write the files"),
  }),
  output: z.object({
    workspace: z.string(),
    written: z.boolean(),
    rules: z.array(z.object({ id: z.string(), level: z.enum(levels), text: z.string() })),
    left: z.number().describe("rules left out for lack of room"),
    files: z.array(fileShape),
  }),
  run: async (ctx, input) => {
    const workspace = resolveWorkspace(input.workspace);
    if (input.team) return { workspace, written: input.write, ...(await exportTeam(ctx, workspace, input)) };
    const inScope = (await listRules(ctx.db)).filter(({ scope }) => scopeCovers(scope, workspace));
    const { body, shown, left } = renderExportedRules(
      await dropUnsayableRules(ctx.db, await keepTrueRules(ctx, inScope, { workspace })),
      workspace,
      ctx.config.policy.recall.exportCharacters,
      await readAcceptedRisks(ctx.db),
    );
    const files = await listRulesFiles(chooseHosts(input.host), workspace);
    const planned = files.map((file) => planFile(file, workspace, input.remove ? "" : body));
    if (input.write) for (const plan of planned) applyPlan(plan, workspace);
    return {
      workspace,
      written: input.write,
      rules: input.remove ? [] : shown.map(({ id, level, text }) => ({ id, level, text })),
      left: input.remove ? 0 : left,
      files: planned.map(({ file, change, why }) => ({ path: file.absolute, hosts: [...file.hosts], change, why })),
    };
  },
  isNegative: ({ files }) => files.some((file) => file.change === "refused"),
  render: (out) =>
    [
      ...out.rules.map((rule) => `${rule.level.padEnd(6)} ${rule.text}`),
      ...(out.left > 0 ? [`${plural(out.left, "rule")} left out: over the limit recall.exportCharacters`] : []),
      ...out.files
        .filter((file) => file.change !== "none" || file.why !== null)
        .map((file) => formatFile(file, out.written)),
      formatClosing(out),
    ].join("\n"),
});

export const exportOperations = [exportRules] as const;

type FileOut = z.infer<typeof fileShape>;

interface FilePlan {
  readonly file: SharedRulesFile;
  readonly change: FileOut["change"];
  readonly why: string | null;
  /** Null if the file is removed. */
  readonly after: string | null;
}

/** The workspace as events store it: `.` is the repository of the current folder. */
export function resolveWorkspace(path: string): string {
  const folder = resolve(path);
  if (!existsSync(folder)) throw new OldhandError("input", `there is no folder ${folder}`, { hint: "check the path" });
  return resolveTypedWorkspace(folder);
}

function chooseHosts(names: readonly string[]): readonly Host[] {
  for (const name of names)
    if (!hosts.some((host) => host.name === name))
      throw new OldhandError("usage", `there is no host ${name}`, {
        hint: `hosts: ${hosts.map((host) => host.name).join(", ")}`,
      });
  return names.length === 0 ? hosts : hosts.filter((host) => names.includes(host.name));
}

/** An empty body removes our block, and the file if it contains nothing else. */
function planFile(file: SharedRulesFile, workspace: string, body: string): FilePlan {
  const refused = (why: string): FilePlan => ({ file, change: "refused", why, after: null });
  const read = readPlainFile(file.absolute, { within: workspace });
  if (read.kind === "refused") return refused(read.why);
  const before = read.kind === "text" ? read.text : null;
  const markers = file.setting === undefined ? rulesMarks : settingMarks;
  const text = body === "" ? "" : (file.setting ?? body);
  const why = text === "" ? null : (file.note ?? null);
  const head = file.head ?? "";
  if (before === null) {
    if (text === "") return { file, change: "none", why, after: null };
    return { file, change: "make", why, after: `${head}${markers.begin}\n${text}\n${markers.end}\n` };
  }
  const after = text === "" ? withoutBlock(before, markers) : withBlock(before, text, markers);
  if (after === null)
    return refused(`its marks ${markers.begin} and ${markers.end} are not one pair: correct or remove them`);
  if (after === before) return { file, change: "none", why, after };
  return text === "" && isOnlyOurs(before, head, markers)
    ? { file, change: "remove", why, after: null }
    : { file, change: "change", why, after };
}

/** True if the file contains only the head and our block. */
function isOnlyOurs(text: string, head: string, markers: BlockMarks): boolean {
  const found = findBlock(text, markers);
  return (
    found.kind === "one" && found.from === head.length && text.startsWith(head) && text.slice(found.to).trim() === ""
  );
}

function applyPlan({ file, change, after }: FilePlan, workspace: string): void {
  if (change === "remove") removeFile(file.absolute, workspace);
  else if ((change === "make" || change === "change") && after !== null) replaceFile(file.absolute, after);
}

function formatFile({ path, hosts: readers, change, why }: FileOut, written: boolean): string {
  const verb = verbs[change][written ? 1 : 0];
  return `${verb} ${path}${readers.length === 0 ? "" : ` (${readers.join(", ")})`}${why === null ? "" : `: ${why}`}`;
}

const verbs: Readonly<Record<FileOut["change"], readonly [string, string]>> = {
  make: ["would make", "made"],
  change: ["would change", "changed"],
  remove: ["would remove", "removed"],
  none: ["up to date:", "up to date:"],
  refused: ["left alone:", "left alone:"],
};

function formatClosing({
  rules,
  files,
  written,
}: {
  rules: readonly unknown[];
  files: readonly FileOut[];
  written: boolean;
}): string {
  const changes = files.filter((file) => file.change !== "none" && file.change !== "refused").length;
  if (changes === 0)
    return rules.length === 0 ? "No rule speaks here, and no file contains one." : "Every file is up to date.";
  return written ? `${plural(changes, "file")} written.` : "Nothing was written; add --write to write.";
}
