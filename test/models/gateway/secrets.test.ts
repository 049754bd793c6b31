import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ChatMessage, ChatTool } from "../../../src/models/chat/chat.ts";
import type { GatewayEvent } from "../../../src/models/gateway/gateway.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, GPT, hearAll, KEYS, requestTo, says, textOf, withGateway } from "./lab.ts";

// Made here, so that no literal token stands in this file.
const token = `ghp_${"q8Zk3vR7tYw2LmN5pXc9BdF4gHj6SsTa1QeW"}`;
const password = "tr0ub4dor-3x!Q";
const planted = [token, password];
const tools: readonly ChatTool[] = [
  { name: "run", description: `runs with password=${password}`, input: { type: "object", required: ["command"] } },
];

/** The placeholders in a request, in order. */
function placeholdersIn(body: unknown): readonly string[] {
  return [...new Set(JSON.stringify(body).match(/oldhand-secret-[0-9a-z]{10}/g))];
}

describe.each(stores)("secrets, on $name", (kind) => {
  it("do not reach the provider, and come back whole in the answer, the tool call and the message", () =>
    withGateway(
      kind,
      {
        claude: (request) => {
          const [first = "", second = ""] = placeholdersIn(request.body);
          return {
            reasoning: { text: `I will use ${first}`, signature: `sig-${first}` },
            text: `with ${first} and ${second}`,
            calls: [{ tool: "run", input: { command: `curl -H 'Authorization: Bearer ${first}' -u me:${second}` } }],
            pieces: 23,
          };
        },
      },
      async ({ gateway, claude, reopen }) => {
        const asked = requestTo(CLAUDE, "", {
          session: "s1",
          chat: { ...says(`my token is ${token}`), system: `The database has password=${password}`, tools },
        });
        const events = await hearAll(gateway.stream(asked));
        const sent = JSON.stringify(claude.requests);
        for (const secret of planted) expect(sent).not.toContain(secret);
        // In the order of the request: the system prompt goes first.
        expect(textOf(events)).toBe(`with ${password} and ${token}`);
        const call = events.find((event) => event.kind === "tool-call");
        const input = { command: `curl -H 'Authorization: Bearer ${password}' -u me:${token}` };
        expect(call).toMatchObject({ name: "run", input });

        const message = messageOf(events);
        const reasoning = message.parts.find((part) => part.kind === "reasoning");
        expect(reasoning?.kind === "reasoning" ? reasoning.text : "").toMatch(/^I will use oldhand-secret-/);
        expect(message.parts.find((part) => part.kind === "tool-call")).toMatchObject({ input });

        // The next step sends all that back, with the result of the tool, from another process.
        const id = call?.kind === "tool-call" ? call.id : "";
        const result: ChatMessage = {
          role: "tool",
          parts: [{ kind: "tool-result", id, name: "run", text: `logged in as ${password}`, isError: false }],
        };
        const messages = [...asked.chat.messages, message, result];
        await reopen().complete({ ...asked, chat: { ...asked.chat, messages } });
        const [before, after] = claude.requests.map(({ body }) => body);
        expect(placeholdersIn(after)).toEqual(placeholdersIn(before));
        expect(JSON.stringify(after)).toMatch(/logged in as oldhand-secret-[0-9a-z]{10}"/);
        expect(JSON.stringify(after)).toContain(`"signature":"sig-${placeholdersIn(before)[0]}"`);
        for (const secret of planted) expect(JSON.stringify(claude.requests)).not.toContain(secret);
      },
    ));

  it("are in no file, row or journal entry; nor are the keys", () =>
    withGateway(
      kind,
      {
        claude: () => ({ error: { status: 401, type: "authentication_error", message: `bad key ${KEYS.anthropic}` } }),
        gpt: (request) => ({ text: `here: ${placeholdersIn(request.body).join(" ")}` }),
      },
      async ({ gateway, db, database }) => {
        const asked = requestTo(CLAUDE, `token ${token}, password=${password}`, { useResponseCache: true });
        const answer = await gateway.complete(asked);
        expect(answer).toMatchObject({ outcome: "ok", healed: true });
        expect(answer.text).toContain(token);
        const hidden = [...planted, ...Object.values(KEYS)];
        expect(hidden.filter((one) => JSON.stringify({ ...answer, text: "", message: null }).includes(one))).toEqual(
          [],
        );
        const tables = ["model_calls", "model_attempts", "routes", "response_cache", "journal", "breakers", "meta"];
        for (const table of tables) {
          const text = JSON.stringify(await db.all(`select * from ${table}`));
          expect(hidden.filter((one) => text.includes(one)).map(() => table)).toEqual([]);
        }
        if (kind.name !== "sqlite") return;
        const folder = dirname(database);
        for (const file of readdirSync(folder)) {
          const bytes = readFileSync(join(folder, file), "latin1");
          expect(hidden.filter((one) => bytes.includes(one)).map(() => file)).toEqual([]);
        }
      },
    ));
});

describe("the setting about secrets", () => {
  const [kind] = stores;

  it("are sent unchanged to a provider that the owner trusts", () =>
    withGateway(
      kind as (typeof stores)[number],
      { claude: () => ({ text: "ok" }), gpt: () => ({ text: "ok" }), models: { secretsTo: "openai" } },
      async ({ gateway, claude, gpt }) => {
        await gateway.complete(requestTo(CLAUDE, `token ${token}`));
        await gateway.complete(requestTo(GPT, `token ${token}`));
        expect(JSON.stringify(claude.requests)).not.toContain(token);
        expect(JSON.stringify(gpt.requests)).toContain(token);
      },
    ));
});

function messageOf(events: readonly GatewayEvent[]): ChatMessage {
  const end = events.at(-1);
  if (end?.kind !== "end" || end.answer.message === null) throw new Error("there is no answer");
  return end.answer.message;
}
