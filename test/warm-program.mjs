// The built command line, loaded once for many commands. Most of a short command's time is the start of its process,
// and the tests run thousands. The parent sends one command at a time and gets what a process of its own would print.
import { readdirSync, readlinkSync } from "node:fs";
import { createRequire } from "node:module";

const program = process.argv[2];

/** Replaced for each command, so that the program sees only what its process would see. */
function setEnvironment(env) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

function loadProgram() {
  process.argv = [process.execPath, program, "version"];
  return createRequire(program)("./cli.cjs").commandLine;
}

/**
 * On Node 20 a closed database keeps its file open until its statements are collected. The end of a process does it too.
 * They are nearly always young; to collect everything takes longer than most commands.
 */
async function closeFiles() {
  await collect("minor");
  // More than once: a statement keeps its database alive until its own finalizer has run.
  for (let nth = 0; nth < 5 && hasOpenFiles(); nth++) await collect("major");
}

/** Asynchronously: an address that happens to be on the stack would keep its object alive. */
async function collect(type) {
  await globalThis.gc({ type, execution: "async" });
  await new Promise((resolve) => setImmediate(resolve));
}

/** Descriptors of files, by number; null where the system does not tell. */
function openFiles() {
  try {
    return readdirSync("/proc/self/fd").filter((fd) => isFile(`/proc/self/fd/${fd}`));
  } catch {
    return null;
  }
}

function isFile(fd) {
  try {
    const path = readlinkSync(fd);
    return path.startsWith("/") && !path.startsWith("/dev/null") && !path.startsWith("/proc/");
  } catch {
    // The one with which the list was read.
    return false;
  }
}

/** Such as an output that was sent to a file. */
const inherited = openFiles();

function hasOpenFiles() {
  return openFiles()?.some((fd) => !inherited?.includes(fd)) ?? true;
}

let printed = { out: [], err: [] };
const keep = (list) => (chunk, encoding, callback) => {
  list().push(typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk));
  (typeof encoding === "function" ? encoding : callback)?.();
  return true;
};
process.stdout.write = keep(() => printed.out);
process.stderr.write = keep(() => printed.err);
const { done, runCli } = loadProgram();
await done;

process.on("message", async ({ words, env, cwd }) => {
  printed = { out: [], err: [] };
  setEnvironment(env);
  process.argv = [process.execPath, program, ...words];
  process.chdir(cwd);
  process.exitCode = undefined;
  const code = await runCli(words);
  await closeFiles();
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
  const text = (list) => Buffer.concat(list).toString("utf8");
  process.send({ code: process.exitCode ?? code, stdout: text(printed.out), stderr: text(printed.err) });
});
process.once("disconnect", () => process.exit());
process.send("ready");
