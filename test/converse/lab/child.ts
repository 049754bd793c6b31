// A process with one turn of oldhand's own agent, to be killed. Every line that it prints is about something that is stored.
import { writeSync } from "node:fs";
import { openChatSession } from "../../../src/converse/session/open-chat-session.ts";
import { openContext } from "../../../src/mind.ts";
import { allowAll } from "./allow-all.ts";
import { labTools } from "./lab-tools.ts";

const { HOME_OF_MIND: home, DATABASE: database, WORKSPACE: cwd = "" } = process.env;
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);
const mind = await openContext({ home, database });
const parts = { tools: async () => labTools, approvals: allowAll };
const session = await openChatSession(mind, { cwd, hasPerson: false, parts });
say({ kind: "open", id: session.id });
let isSteered = false;
for await (const event of session.send("make three cups")) {
  say(event);
  if (event.kind !== "tool-output" || isSteered) continue;
  isSteered = true;
  const { id } = await session.steer("and a saucer");
  say({ kind: "steering", id });
}
await session.close();
await mind.close();
say({ kind: "closed" });
