import type { InstallTarget } from "../protocol/host.ts";

/**
 * The part of our plugin that talks to oldhand, for hosts whose hooks are functions in their own process. Plain
 * JavaScript that uses only Node's own modules. One oldhand process serves the plugin and ends with the host.
 *
 * `request(payload, keep)` resolves to the protocol's reply, or to an empty object. It never throws and waits only a
 * limited time; a later reply is passed to `keep`, because it counts as shown. `notify(payload)` is for events that
 * the host does not wait for.
 */
export function renderPluginLink(target: Pick<InstallTarget, "command">): string {
  return `import { spawn } from "node:child_process";

const command = ${JSON.stringify([...target.command, "--stream"])};
const patienceMs = 1000;
const mostWaiting = 200;

let link = null;
let isOver = false;

function request(payload, keep) {
  return new Promise((resolve) => {
    let isGivenUp = false;
    let timer = null;
    const giveUp = () => {
      isGivenUp = true;
      resolve({});
    };
    const used = send(payload, (reply) => {
      clearTimeout(timer);
      if (isGivenUp) keep?.(reply.context, reply.forPerson);
      resolve(reply);
    });
    if (used === null) return;
    // After one late reply, do not wait again until oldhand has replied.
    if (used.isLate) return giveUp();
    timer = setTimeout(() => {
      used.isLate = true;
      giveUp();
    }, patienceMs);
  });
}

/** For events that the host does not wait for. A slow reply does not count as late, because oldhand may be starting. */
function notify(payload) {
  return new Promise((resolve) => void send(payload, resolve));
}

/** Returns null if there is no process; then \`done\` was called already. */
function send(payload, done) {
  try {
    if (isOver) {
      done({});
      return null;
    }
    const line = JSON.stringify(payload) + "\\n";
    link ??= start();
    const used = link;
    const { child, waiting } = used;
    waiting.push((reply) => {
      used.isLate = false;
      done(parsed(reply));
    });
    // It hangs. End it, so that unsent events do not pile up.
    if (waiting.length > mostWaiting) child.kill("SIGKILL");
    else child.stdin.write(line);
    return used;
  } catch {
    done({});
    return null;
  }
}

function start() {
  // Node would read these certificates at start, which is slow. oldhand uses no network here.
  const { NODE_EXTRA_CA_CERTS, ...env } = process.env;
  const [program, ...words] = command;
  // Windows finds a program by its name only through a shell.
  const shell = process.platform === "win32" && program === "oldhand";
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], env, windowsHide: true, shell });
  const waiting = [];
  let rest = "";
  let hasSpoken = false;
  const end = () => {
    if (link?.child === child) {
      link = null;
      // It ended without a reply: oldhand was removed or is switched off.
      isOver = !hasSpoken;
    }
    for (const done of waiting.splice(0)) done("");
  };
  child.on("error", end);
  child.on("exit", end);
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (piece) => {
    hasSpoken = true;
    const lines = (rest + piece).split("\\n");
    rest = lines.pop();
    for (const line of lines) waiting.shift()?.(line);
  });
  // They must not keep the host's process alive.
  for (const part of [child, child.stdin, child.stdout]) part.unref?.();
  return { child, waiting, isLate: false };
}

/** Closes its stdin: it stores what it has received, and ends. */
function hangUp() {
  const { child } = link ?? {};
  link = null;
  child?.stdin.end();
}

function parsed(line) {
  try {
    return line === "" ? {} : JSON.parse(line);
  } catch {
    return {};
  }
}

/** If the plugin is installed twice, for the user and for the project, only the first one is active. */
function isFirst(name, place) {
  const key = Symbol.for("oldhand " + name);
  globalThis[key] ??= place;
  return globalThis[key] === place;
}
`;
}
