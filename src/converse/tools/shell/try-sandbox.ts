import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, thisMachine } from "../../../config.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { oneLine } from "../../../lib/text.ts";
import { listOwnPaths } from "../own-paths.ts";
import type { Sandbox } from "../sandbox.ts";
import { composeSandboxProfile } from "./sandbox-profile.ts";

/** What a harmless command could do in the sandbox in which commands run without a person's yes. */
export type SandboxTrial =
  | {
      readonly kind: "ran";
      readonly writesInside: boolean;
      readonly writesOutside: boolean;
      readonly seesHome: boolean;
      readonly hasNetwork: boolean;
    }
  | { readonly kind: "failed"; readonly error: string };

/** Runs a command in the sandbox that tries to write, to read the home and to connect. All of it is in new folders and on loopback. */
export async function trySandbox(
  sandbox: Sandbox,
  config: Pick<Config, "home" | "database" | "policy">,
): Promise<SandboxTrial> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "oldhand-sandbox-")));
  const [workspace, outside] = [join(folder, "workspace"), join(folder, "outside")];
  for (const path of [workspace, outside]) mkdirSync(path);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { program, args } = sandbox.plan(
      composeSandboxProfile({
        ...{ workspace, cwd: workspace, kind: "closed", hasNetwork: config.policy.chat.sandboxNetwork },
        ...{ userHome: thisMachine().userHome, own: listOwnPaths(config) },
      }),
    );
    const given = JSON.stringify({ outside: join(outside, "a"), home: config.home, port });
    const ran = spawnSync(program, [...args, process.execPath, "-e", PROBE, given], {
      ...{ cwd: workspace, encoding: "utf8", timeout: 10_000, env: {} },
    });
    const seen = tryParseJson(ran.stdout ?? "");
    if (ran.status !== 0 || !isRecord(seen))
      return {
        kind: "failed",
        error: oneLine(ran.stderr ?? "") || ran.error?.message || `it ended with ${ran.status}`,
      };
    return {
      kind: "ran",
      writesInside: existsSync(join(workspace, "a")),
      writesOutside: existsSync(join(outside, "a")),
      seesHome: seen["seesHome"] === true,
      hasNetwork: seen["hasNetwork"] === true,
    };
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs inside. */
const PROBE = `
const { readdirSync, writeFileSync } = require("node:fs");
const { outside, home, port } = JSON.parse(process.argv[1]);
const works = (act) => { try { return act(); } catch { return false; } };
works(() => writeFileSync("a", ""));
works(() => writeFileSync(outside, ""));
const seesHome = works(() => readdirSync(home).length > 0);
const end = (hasNetwork) => { console.log(JSON.stringify({ seesHome, hasNetwork })); process.exit(0); };
require("node:net").connect(port, "127.0.0.1").on("connect", () => end(true)).on("error", () => end(false));
`;
