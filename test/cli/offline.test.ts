import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { exec, newPlace, type Place, root, sample } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

it("observing, distilling, promoting and speaking use no network and no model", async () => {
  const log = join(place.dir, "reached.txt");
  const env = { NODE_OPTIONS: `--require=${join(root, "test", "no-network.cjs")}`, NO_NETWORK_LOG: log };

  await place.json(["import", sample], { env });
  await place.json(["distil", "--write"], { env });
  const rules = await place.json<{ id: string; text: string }[]>(["rules", "list"], { env });
  expect(rules.length).toBeGreaterThan(2);
  for (const step of ["promote", "decay", "reinforce"]) await place.json([step, "--write"], { env });
  await place.json(["maintain", "--write", "--force"], { env });
  const { mistakes } = await place.json<{ mistakes: object[] }>(["report"], { env });
  expect(mistakes.length).toBeGreaterThan(0);
  const docker = rules.find((rule) => rule.text.includes("docker compose up"));
  const call = { tool_name: "Bash", tool_input: { command: "docker compose up -d db" } };
  const hookPayload = { hook_event_name: "PreToolUse", session_id: "next", cwd: "/home/ada/shop", ...call };
  const said = await place.run(["hook", "claude-code"], { env, stdin: JSON.stringify(hookPayload) });
  expect(said.stdout).toContain(`oldhand, rule ${docker?.id}`);
  await place.json(
    [
      "mistake",
      "pushed a red build",
      "--why",
      "took the last run for this one",
      "--should-have",
      "read the last line",
    ].concat(["--pattern", "not-verifying", "--signal", 'the last run said "0 tests"']),
    { env },
  );
  expect(existsSync(log) ? readFileSync(log, "utf8") : "").toBe("");

  // Counter-check: an attempt would have been detected.
  const reach = "fetch('http://127.0.0.1:9').catch(() => {})";
  const ran = await exec(process.execPath, ["-e", reach], { env: { PATH: process.env["PATH"] ?? "", ...env } });
  expect(ran.code).not.toBe(0);
  expect(readFileSync(log, "utf8")).toContain("fetch");
}, 120_000);
