import { existsSync } from "node:fs";
import { join } from "node:path";
import { withoutBlock } from "../../../lib/marked-block.ts";
import { readPlainText } from "../../../lib/plain-file.ts";
import type { RulesFile, Setup } from "../../protocol/host.ts";
import { settingMarks } from "../../wiring/rules-files.ts";
import { readTranscript } from "./transcript.ts";

/** It has neither hooks nor MCP; only rules files reach it. */
export const aiderSetup: Setup = {
  detect: (target) => {
    const own = [".aider.conf.yml", ".aider"].map((name) => join(target.userHome, name));
    const folder = own.find((path) => existsSync(path));
    return folder === undefined ? null : { version: null, folder };
  },
  plan: () => [],
  // They are in the repositories, and no list of these exists: `oldhand import FILE --from aider`.
  transcripts: (target) =>
    [target.env["AIDER_CHAT_HISTORY_FILE"] ?? ""].filter((path) => path !== "" && existsSync(path)),
  readTranscript,
  rulesFiles,
};

const RULES = "CONVENTIONS.md";
const SETTINGS = ".aider.conf.yml";

/**
 * Aider reads the files that its settings name. If the owner has a `read:` list, it is not changed; a note asks the
 * owner to add the file.
 */
function rulesFiles(workspace: string): readonly RulesFile[] {
  const path = join(workspace, SETTINGS);
  const text = readPlainText(path, { within: workspace }) ?? "";
  const theirs = withoutBlock(text, settingMarks) ?? text;
  if (!/^read:/m.test(theirs)) return [{ path: RULES }, { path: SETTINGS, setting: `read: [${RULES}]` }];
  const isNamed = theirs.includes(RULES);
  return [{ path: RULES, ...(isNamed ? {} : { note: `name ${RULES} under \`read:\` in ${SETTINGS}` }) }];
}
