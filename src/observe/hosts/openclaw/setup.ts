import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Place, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { readEntries } from "../../transcripts/pi-transcript.ts";
import { agentsFile } from "../../wiring/rules-files.ts";

export const openclawSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  transcripts,
  readTranscript: (path, policy) => readEntries(path, policy, "openclaw"),
  mcp: jsonMcp({
    path: configFile,
    at: ["mcp", "servers"],
  }),
  rulesFiles: agentsFile,
};

/** Only where there is one: made by us it would be all the configuration it has. */
function configFile(place: Place): string | null {
  const path = join(configFolder(place), "openclaw.json");
  return place.project === null && existsSync(path) ? path : null;
}

function configFolder(place: Place): string {
  return place.env["OPENCLAW_STATE_DIR"] || join(place.userHome, ".openclaw");
}

/** Each of its agents has sessions of its own. */
function transcripts(place: Place): readonly string[] {
  const root = join(configFolder(place), "agents");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /^[^\\/]+[\\/]sessions[\\/][^\\/]+\.jsonl$/.test(name))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
