// Runs one session of a real client against a scripted model, and tells what went over the wire.
// A program of its own because model and client must share a network namespace: a job on stdin, the record on stdout.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fakeAnthropic, fakeGemini, fakeOpenAi } from "../../../dist/testing.js";

const KEY_SECONDS = 30;
const moves = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");
const job = JSON.parse(await text(process.stdin));
const models = { anthropic: fakeAnthropic, gemini: fakeGemini, openai: fakeOpenAi };
const model = await models[job.model](job.turns.map((turn) => ("choose" in turn ? chosen(turn.choose) : turn)));
const server = job.serve ? await startServer(job.serve) : null;
const [program, ...args] = job.command.map(addressed);
const client = spawn(program, args, {
  cwd: job.cwd,
  env: Object.fromEntries(Object.entries(job.env).map(([name, value]) => [name, addressed(value)])),
  stdio: [job.keys ? "pipe" : "ignore", "pipe", "pipe"],
});
const timeOuts = [];
const deadline = setTimeout(() => {
  timeOuts.push(`${job.client} was ended after ${job.timeoutMs / 1_000} s`);
  client.kill("SIGKILL");
}, job.timeoutMs);
const ended = new Promise((resolve) => client.once("exit", resolve));
const said = Promise.all([text(client.stdout), text(client.stderr), ended]);
let shown = "";
client.stdout.on("data", (chunk) => (shown += chunk));
if (job.keys) await typeKeys(job.keys);
const [stdout, stderr, status] = await said;
clearTimeout(deadline);
await server?.stop();
await model.close();
process.stdout.write(
  JSON.stringify({ status, stdout, stderr, requests: model.requests, remaining: model.remaining(), timeOuts }),
);

/** Where the model listens is known only here, and the token of the server. */
function addressed(word) {
  return word.replaceAll("{model}", model.url).replaceAll("{token}", server?.token ?? "");
}

/** `oldhand serve` on its usual port: nobody else is in this network. Its providers are the scripted model. */
async function startServer([command, ...words]) {
  const { PATH, HOME, TMPDIR, LANG } = job.env;
  const urls = { ANTHROPIC_BASE_URL: model.url, OPENAI_BASE_URL: model.url };
  const stdio = ["ignore", "pipe", "inherit"];
  const child = spawn(command, words, { cwd: job.cwd, env: { PATH, HOME, TMPDIR, LANG, ...urls }, stdio });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const token = await new Promise((resolve, reject) => {
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const found = /#token=([\w-]+)/.exec(out);
      if (found) resolve(found[1]);
    });
    void exited.then(() => reject(new Error(`oldhand serve ended: ${out}`)));
  });
  const stop = () => {
    child.kill("SIGTERM");
    return exited;
  };
  return { token, stop };
}

/** A turn of a model that goes by what it reads: the first choice whose pattern the request holds; `$1` is what it found. */
function chosen(choices) {
  let made;
  const make = () => {
    const read = JSON.stringify(model.requests.at(-1).body).replaceAll("&lt;", "<").replaceAll("&gt;", ">");
    for (const { when, turn } of choices) {
      const found = new RegExp(when).exec(read);
      if (found) return JSON.parse(JSON.stringify(turn).replaceAll("$1", found[1] ?? ""));
    }
    return { text: "Lost." };
  };
  const turn = () => (made ??= make());
  return new Proxy({}, { get: (_, name) => turn()[name], has: (_, name) => name in turn() });
}

/** Each key when its time has come: so many requests to the model, a text on the screen since the last key, a pause. */
async function typeKeys(keys) {
  for (const { text: typed, afterMs = 0, afterRequests = 0, awaits = "" } of keys) {
    const isTime = () => asked() >= afterRequests && screen().includes(awaits);
    for (let i = 0; i < KEY_SECONDS * 10 && !isTime(); i++) await pause(100);
    if (!isTime()) timeOuts.push(`${job.client} did not ${lacking(awaits, afterRequests)} within ${KEY_SECONDS} s`);
    await pause(afterMs);
    shown = "";
    client.stdin.write(typed);
  }
}

function lacking(awaits, afterRequests) {
  return screen().includes(awaits) ? `send request ${afterRequests} to its model` : `show "${awaits}"`;
}

/** What was drawn, without the moves of the cursor between the words. */
function screen() {
  return shown.replace(moves, " ").replace(/\s+/g, " ");
}

function asked() {
  return model.requests.filter((one) => one.body?.tools?.length > 0).length;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
