import type { InstallTarget } from "../protocol/host.ts";

/**
 * The part of our plugin that talks to oldhand, for hosts whose hooks are functions in their own process. Plain
 * JavaScript that uses only Node's own modules. One oldhand process serves the plugin and ends with the host.
 *
 * `tell(payload, keep)` resolves to the protocol's answer, or to an empty object. It never throws and waits only a
 * limited time; a later answer is passed to `keep`, because it counts as shown. `inform(payload)` is for events that
 * the host does not wait for.
 */
export function renderPluginLink(target: Pick<InstallTarget, "command">): string {
  return `import { spawn } from "node:child_process";

const command = ${JSON.stringify([...target.command, "--stream"])};
const patienceMs = 1000;
const mostWaiting = 200;

let link = null;
let isOver = false;

function tell(payload, keep) {
  return new Promise((resolve) => {
    let isGivenUp = false;
    let timer = null;
    const giveUp = () => {
      isGivenUp = true;
      resolve({});
    };
    const asked = send(payload, (answer) => {
      clearTimeout(timer);
      if (isGivenUp) keep?.(answer.context, answer.forPerson);
      resolve(answer);
    });
    if (asked === null) return;
    // Waited for once, not at every call: until it speaks again it is only told.
    if (asked.isLate) return giveUp();
    timer = setTimeout(() => {
      asked.isLate = true;
      giveUp();
    }, patienceMs);
  });
}

/** The same of what the host does not wait for: the answer may take its time, and oldhand is not late by it. It may be starting. */
function inform(payload) {
  return new Promise((resolve) => void send(payload, resolve));
}

/** Null where there is nobody to tell: then it is answered already. */
function send(payload, done) {
  try {
    if (isOver) {
      done({});
      return null;
    }
    const told = JSON.stringify(payload) + "\\n";
    link ??= start();
    const asked = link;
    const { child, waiting } = asked;
    waiting.push((line) => {
      asked.isLate = false;
      done(parsed(line));
    });
    // It hangs: better nothing of ours than a heap of it.
    if (waiting.length > mostWaiting) child.kill("SIGKILL");
    else child.stdin.write(told);
    return asked;
  } catch {
    done({});
    return null;
  }
}

function start() {
  // Reading a company's certificates takes Node longer than all we do, and we speak to nobody.
  const { NODE_EXTRA_CA_CERTS, ...env } = process.env;
  const [program, ...words] = command;
  // By its name alone Windows finds a program only through a shell.
  const shell = process.platform === "win32" && program === "oldhand";
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], env, windowsHide: true, shell });
  const waiting = [];
  let rest = "";
  let hasSpoken = false;
  const end = () => {
    if (link?.child === child) {
      link = null;
      // Gone without a word: there is no oldhand any more, or it is switched off.
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
  // The host ends when it wants to.
  for (const part of [child, child.stdin, child.stdout]) part.unref?.();
  return { child, waiting, isLate: false };
}

/** It stores what it has been told, and goes. */
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

/** Of a plugin that is there twice, for its user and for the project, one speaks. */
function isFirst(name, place) {
  const key = Symbol.for("oldhand " + name);
  globalThis[key] ??= place;
  return globalThis[key] === place;
}
`;
}
