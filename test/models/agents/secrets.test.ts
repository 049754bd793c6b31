import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Db } from "../../../src/store/engine/db.ts";
import { onlyInStore, tables } from "../../../src/store/state/tables.ts";
import type { Script } from "../../../src/testing/scripted-server.ts";
import { stores } from "../../stores.ts";
import { type AgentLab, withAgents } from "./lab.ts";

// Made here, so that no literal token stands in this file.
const token = `ghp_${"q8Zk3vR7tYw2LmN5pXc9BdF4gHj6SsTa1QeW"}`;
const password = "hunter2hunter2";

/** Repeats every placeholder of the request, as a model does that uses what it was given. */
const repeatPlaceholders: Script = ({ body }) => {
  const found = [...new Set(JSON.stringify(body).match(/oldhand-secret-[0-9a-z]{10}/g))];
  return { text: found.length === 0 ? "Nothing to use." : `Use ${found.join(" and then ")}.` };
};

const trusted = { settings: { models: { secretsTo: "anthropic" } } };

describe.each(stores)("secrets of a named agent ($name)", (kind) => {
  it("come back in the answer, and are in no table, no file and no later request", async () => {
    await withAgents(kind, { claude: repeatPlaceholders }, async (lab) => {
      const prompt = `Deploy the site with ${token} password=${password} ok`;
      const first = await lab.complete("sec", { prompt, session: "b" });
      expect(first.response).toBe(`Use ${token} and then ${password}.`);
      await lab.complete("sec", { prompt: "Deploy the site again, as you did", session: "b" });
      await lab.complete("sec", { prompt: "How did you deploy the site with the token", session: "c" });
      await expectNowhere(lab, [token, password]);
      // A redaction mark stands where the secret stood.
      const { turns } = await listTurns(lab);
      expect(turns[0]).toContain("Use [redacted:github-token] and then [redacted:password].");
    });
  });

  it("are hidden where they stand bare, after another part of the request or an earlier request gave them away", async () => {
    await withAgents(kind, { claude: repeatPlaceholders }, async (lab) => {
      await lab.complete("sec", {
        prompt: `Log in with ${password}, then with PIN k3y9z`,
        context: { password, login: { password: "k3y9z" } },
        session: "b",
      });
      await lab.complete("sec", { prompt: `Why does ${password} not work?`, session: "b" });
      await expectNowhere(lab, [password, "k3y9z"]);
    });
  });

  it("are not stored either if the provider may see them and repeats them", async () => {
    const repeat: Script = () => ({ text: `I used ${password}.` });
    await withAgents(kind, { ...trusted, claude: repeat }, async (lab) => {
      const answer = await lab.complete("sec", { prompt: `Log in with password=${password} now` });
      expect(answer.response).toBe(`I used ${password}.`);
      expect(JSON.stringify(lab.claude.requests)).toContain(password);
      await lab.post("/agents/sec/feedback", { call: answer.call, quality: "bad", note: `${password} is old` });
      expect(await findStored(lab, [password])).toEqual([]);
    });
  });

  it("are not in the response cache, even if only an earlier request gave them away", async () => {
    await withAgents(kind, { claude: repeatPlaceholders }, async (lab) => {
      await lab.complete("sec", { prompt: `Log in with password=${password} now`, session: "b" });
      const body = { prompt: `Is ${password} long enough?`, session: "b", cache: true };
      await lab.complete("sec", body);
      expect(await lab.mind.db.all("select * from response_cache")).toEqual([]);
      await expectNowhere(lab, [password]);
    });
  });

  it("are nowhere, whatever the turns of two sessions are", async () => {
    const secret = fc.stringMatching(/^[a-z]{4,8}[0-9]{3,4}[A-Z]{2,4}$/);
    const turn = fc.record({
      session: fc.constantFrom("one", "two"),
      secret: fc.integer({ min: 0, max: 2 }),
      form: fc.integer({ min: 0, max: 4 }),
    });
    const script = fc.tuple(fc.uniqueArray(secret, { minLength: 3, maxLength: 3 }), fc.array(turn, { maxLength: 6 }));
    let number = 0;
    await withAgents(kind, { claude: repeatPlaceholders }, async (lab) => {
      await fc.assert(
        fc.asyncProperty(script, async ([secrets, turns]) => {
          const agent = `agent${number++}`;
          const revealed = new Set<string>();
          const before = lab.claude.requests.length;
          for (const { session, secret: at, form } of turns) {
            const word = secrets[at] ?? "";
            const forms = [
              { prompt: `Deploy the site with password=${word} and then ${word} again` },
              { prompt: `Deploy the site with ${word}`, context: { db: { password: word } } },
              { prompt: `export API_TOKEN="${word}"; deploy the site` },
            ];
            // A bare word is a secret only after its session gave it away.
            const isKnown = revealed.has(`${session} ${word}`);
            const bare = { prompt: isKnown ? `Does ${word} still work for the site?` : "Does the site still work?" };
            await lab.complete(agent, { ...(forms[form] ?? bare), session });
            if (form < forms.length) revealed.add(`${session} ${word}`);
          }
          const planted = [...revealed].map((one) => one.split(" ")[1] ?? "");
          expect(findIn(JSON.stringify(lab.claude.requests.slice(before)), planted)).toEqual([]);
          expect(await findStored(lab, planted)).toEqual([]);
        }),
        { numRuns: 12 },
      );
    });
  });
});

async function expectNowhere(lab: AgentLab, secrets: readonly string[]): Promise<void> {
  expect(findIn(JSON.stringify(lab.claude.requests), secrets)).toEqual([]);
  expect(findIn(JSON.stringify(lab.embedder.requests), secrets)).toEqual([]);
  expect(await findStored(lab, secrets)).toEqual([]);
}

/** The tables and files that hold one of these texts. */
async function findStored({ mind }: AgentLab, secrets: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of tables)
    if (
      (onlyInStore[name] ?? mind.store.kind) === mind.store.kind &&
      findIn(JSON.stringify(await readTable(mind.db, name)), secrets).length > 0
    )
      found.push(name);
  if (mind.store.kind !== "sqlite") return found;
  const folders = new Set([mind.config.home, dirname(mind.store.location)]);
  for (const folder of folders)
    for (const file of readdirSync(folder).map((one) => join(folder, one)))
      if (statSync(file).isFile() && findIn(readFileSync(file, "latin1"), secrets).length > 0) found.push(file);
  return found;
}

function readTable(db: Db, name: string): Promise<readonly unknown[]> {
  return db.all(`select * from ${name}`);
}

function findIn(text: string, secrets: readonly string[]): readonly string[] {
  return secrets.filter((one) => one !== "" && text.includes(one));
}

async function listTurns({ mind }: AgentLab): Promise<{ readonly turns: readonly string[] }> {
  const rows = await mind.db.all<{ value: string }>("select value from kv order by key");
  return { turns: rows.map(({ value }) => value) };
}
