// Measures what hooks add to a tool call in a real Claude Code session: none, a bare `node -e 0`, ours by the plugin,
// ours by one process per hook. Sessions of the four alternate, so that other load affects all equally.
//
//   node scripts/measure-claude-hooks.mjs CLAUDE [ROUNDS] [CALLS]
//
// CLAUDE is the client's binary (2.1.136 or later). Nothing leaves the machine: the model is scripted and, if
// namespaces can be created (root), there is no network at all.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fakeAnthropic } from "../dist/testing.js";

const [claude, rounds = "5", calls = "20"] = process.argv.slice(2);
if (!claude) {
  process.stderr.write("usage: node scripts/measure-claude-hooks.mjs CLAUDE [ROUNDS] [CALLS]\n");
  process.exit(2);
}
if (!process.env.MEASURE_ALONE && spawnSync("unshare", ["-n", "true"]).status === 0) {
  const again = [process.execPath, ...process.argv.slice(1)];
  const inside = ["-n", "sh", "-c", 'ip link set lo up; exec "$@"', "sh", ...again];
  process.exit(spawnSync("unshare", inside, { stdio: "inherit", env: { ...process.env, MEASURE_ALONE: "1" } }).status);
}

const program = fileURLToPath(new URL("../dist/oldhand.cjs", import.meta.url));
const lab = mkdtempSync(join(tmpdir(), "oldhand-measure-"));
const project = join(lab, "project");
mkdirSync(join(lab, "bin"), { recursive: true });
mkdirSync(project);
symlinkSync(resolve(claude), join(lab, "bin", "claude"));
writeFileSync(join(project, "notes.txt"), "one line\n");
execFileSync("git", ["init", "-q", "."], { cwd: project });

const bare = { hooks: [{ type: "command", command: `${process.execPath} -e 0` }] };
const variants = [
  { name: "no hook", hooks: 0, prepare: () => {} },
  { name: "bare node -e 0", hooks: 2, prepare: (home) => settings(home, { PreToolUse: [bare], PostToolUse: [bare] }) },
  { name: "oldhand, plugin", hooks: 3, prepare: (home) => install(home, join(lab, "bin")) },
  // Without the client on the PATH, its version is unknown and it gets the settings that every version supports.
  { name: "oldhand, process", hooks: 2, prepare: (home) => install(home, "") },
].map((one) => ({ ...one, home: join(lab, one.name.replaceAll(/\W+/g, "-")), gaps: [] }));

for (const variant of variants) {
  mkdirSync(variant.home);
  settings(variant.home, undefined);
  variant.prepare(variant.home);
}
for (let round = -1; round < Number(rounds); round++) {
  for (const variant of variants) {
    const gaps = await session(variant.home);
    // The first round warms caches and writes the files of a first start.
    if (round >= 0) variant.gaps.push(...gaps);
  }
  process.stderr.write(`round ${round + 1} of ${rounds}, load ${loadavg()[0].toFixed(1)}\n`);
}
print();
rmSync(lab, { recursive: true, force: true });

function settings(home, hooks) {
  mkdirSync(join(home, ".claude"), { recursive: true });
  const text = JSON.stringify({ permissions: { allow: ["Read"] }, ...(hooks ? { hooks } : {}) });
  writeFileSync(join(home, ".claude", "settings.json"), text);
}

function install(home, path) {
  const env = { HOME: home, PATH: `${path}:/usr/bin:/bin` };
  execFileSync(process.execPath, [program, "install", "claude-code"], { env, stdio: "ignore" });
}

/** Milliseconds from each model request to the next: the client's own work, reading one file, and the hooks. */
async function session(home) {
  const read = { tool: "Read", input: { file_path: join(project, "notes.txt") } };
  const model = await fakeAnthropic([
    ...Array.from({ length: Number(calls) }, () => ({ calls: [read] })),
    { text: "Done." },
  ]);
  const client = spawn(claude, ["-p", "--output-format", "stream-json", "--verbose", "read it"], {
    cwd: project,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: home,
      TMPDIR: lab,
      CLAUDE_CODE_TMPDIR: lab,
      SHELL: "/bin/bash",
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "fake-key-not-real",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  });
  const status = await new Promise((done) => client.once("exit", done));
  await model.close();
  const asked = model.requests.filter((one) => one.path === "/v1/messages" && one.body?.tools?.length > 0);
  if (status !== 0 || model.remaining() > 0) throw new Error(`the session ended with ${status}`);
  // The first call of a session is excluded, because it loads code that later calls reuse.
  return asked.slice(2).map((one, i) => one.at - asked[i + 1].at);
}

function print() {
  const [none] = variants;
  const bareNode = variants[1];
  process.stdout.write(`${cpus().length} cores, Node ${process.versions.node}, ${none.gaps.length} calls each; ms\n`);
  process.stdout.write("variant            p10   median   added per call   per hook   of a bare node hook\n");
  for (const one of variants) {
    const added = at(one.gaps, 0.5) - at(none.gaps, 0.5);
    const perHook = one.hooks === 0 ? 0 : added / one.hooks;
    const share = perHook / ((at(bareNode.gaps, 0.5) - at(none.gaps, 0.5)) / bareNode.hooks);
    const cells = [at(one.gaps, 0.1), at(one.gaps, 0.5), added, perHook].map((ms) => ms.toFixed(1));
    process.stdout.write(
      `${one.name.padEnd(16)} ${cells[0].padStart(5)} ${cells[1].padStart(8)} ${cells[2].padStart(16)} ${cells[3].padStart(10)} ${one.hooks === 0 ? "" : share.toFixed(2).padStart(21)}\n`,
    );
  }
}

function at(values, share) {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];
}
