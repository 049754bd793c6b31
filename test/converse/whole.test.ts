import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { TurnEvent } from "../../src/converse/turn/turn-event.ts";
import { approveRule } from "../../src/domain/rule/decisions.ts";
import { decideRule } from "../../src/record/decide-rule.ts";
import { makeProvenance } from "../../src/store/journal/journal.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import { onlyInStore, tables } from "../../src/store/state/tables.ts";
import { fakeAnthropic } from "../../src/testing/fake-anthropic.ts";
import type { Script, ScriptedServer, ScriptedTurn } from "../../src/testing/scripted-server.ts";
import { cleanEnv, describeRun, exec, newPlace, type Place, program } from "../program.ts";
import { stores } from "../stores.ts";
import { seenInSandbox as folder } from "./tool-context.ts";
import { type ChatLab, endOf, hear, START, textsOf, withChat } from "./lab/chat-lab.ts";
import { asksForSummary, scriptWith } from "./lab/compaction-lab.ts";
import { kilnFiles, MISTAKE, newScript, plantMistake } from "./lab/kiln.ts";
import { skipWithoutSandbox } from "./sandbox.ts";

const CART = "price: 10\nvat: 7\n";
const call = (tool: string, input: Readonly<Record<string, unknown>>): ScriptedTurn => ({ calls: [{ tool, input }] });
const read = call("read", { file_path: "cart.txt" });
const edit = call("edit", { file_path: "cart.txt", old_string: "vat: 7", new_string: "vat: 19" });
const files = { "cart.txt": CART };

/** As a session is without a test's own parts. */
const real = { parts: {} };

const open: { place: Place; model: ScriptedServer; cwd: string }[] = [];
afterAll(async () => {
  for (const { place, model, cwd } of open) {
    place.remove();
    rmSync(cwd, { recursive: true, force: true });
    await model.close();
  }
});

/** The built program in a workspace, with a scripted model. */
async function newShop(script: Script) {
  const model = await fakeAnthropic(script, { everyRequest: true });
  const place = newPlace({ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "plain-first-key-4711" });
  const cwd = mkdtempSync(join(folder, "oldhand-shop-"));
  open.push({ place, model, cwd });
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(cwd, "cart.txt"), CART);
  const models = { use: ["anthropic/claude-sonnet-4-5"], exploreShare: 0, retryMs: 1, retries: 0 };
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ embedder: "none", models }));
  const ask = (...words: readonly string[]) => place.run(["ask", ...words], { cwd });
  const cart = () => readFileSync(join(cwd, "cart.txt"), "utf8");
  return { model, ask, cart, wire: (at: number) => JSON.stringify(model.requests.at(at)?.body) };
}

describe("oldhand ask with its tools", () => {
  it("reads, edits and runs a command in the mode edit, and shows the diff", async () => {
    const { ask, cart, wire } = await newShop([
      read,
      edit,
      call("shell", { command: "cat cart.txt" }),
      { text: "The VAT is 19 now." },
    ]);
    const ran = await ask("raise the VAT", "--mode", "edit");
    expect([ran.code, ran.stdout], describeRun(ran)).toEqual([0, "The VAT is 19 now.\n"]);
    expect(cart()).toBe("price: 10\nvat: 19\n");
    expect(ran.stderr).toContain("-vat: 7\n+vat: 19");
    expect(ran.stderr).toContain("cat cart.txt");
    expect(wire(1)).toContain("price: 10");
    expect(wire(3)).toContain("vat: 19");
  });

  it("refuses an edit in the mode ask if nobody can answer, and says what would allow it", async () => {
    const { ask, cart, wire } = await newShop([edit, { text: "I may not." }]);
    const ran = await ask("raise the VAT");
    expect([ran.code, ran.stdout], describeRun(ran)).toEqual([0, "I may not.\n"]);
    expect(cart()).toBe(CART);
    expect(ran.stderr).toContain("The mode edit allows it (--mode edit");
    expect(wire(1)).toContain("oldhand ask --mode edit");
  });

  it("has in the second session what the agent remembered in the first one", async () => {
    const { ask, wire } = await newShop([
      call("remember", { text: "The shop's VAT is set in cart.txt, in whole percent." }),
      { text: "Noted." },
      { text: "In cart.txt." },
    ]);
    const first = await ask("note where the VAT is");
    expect(first.code, describeRun(first)).toBe(0);
    expect(wire(0)).not.toContain("in whole percent");
    const second = await ask("where is it?");
    expect(second.stdout, describeRun(second)).toBe("In cart.txt.\n");
    expect(wire(2)).toContain("in whole percent");
  });
});

describe.each(stores)("a whole session ($name)", (kind) => {
  it("goes on after a yes that another process gives", () =>
    withChat(kind, { script: [edit, { text: "Done." }], files, folder }, async (lab) => {
      const session = await lab.open({ ...real, hasPerson: true });
      const events: TurnEvent[] = [];
      for await (const event of session.send("raise the VAT")) {
        events.push(event);
        if (event.kind !== "approval") continue;
        expect(event.approval.detail).toContain("+vat: 19");
        expect(readFileSync(join(lab.cwd, "cart.txt"), "utf8")).toBe(CART);
        const ran = await runElsewhere(lab, ["approvals", "approve", event.approval.id]);
        expect(ran.code, describeRun(ran)).toBe(0);
      }
      expect(endOf(events).reason).toBe("done");
      expect(events.find((event) => event.kind === "approval-answered")?.approval.status).toBe("approved");
      expect(readFileSync(join(lab.cwd, "cart.txt"), "utf8")).toContain("vat: 19");
      await session.close();
    }));

  it("takes back a turn with its file change", () =>
    withChat(kind, { script: [edit, { text: "Done." }, { text: "Hello." }], files, folder }, async (lab) => {
      const session = await lab.open({ ...real, mode: "edit" });
      await hear(session.send("raise the VAT"));
      expect(readFileSync(join(lab.cwd, "cart.txt"), "utf8")).toContain("vat: 19");
      expect(await session.undo()).toMatchObject({ kind: "undone", turn: 1, text: "raise the VAT" });
      expect(readFileSync(join(lab.cwd, "cart.txt"), "utf8")).toBe(CART);
      await hear(session.send("hello"));
      expect(textsOf(lab.sent(-1)).join()).not.toContain("raise the VAT");
      await session.close();
    }));

  it("is compacted when it gets long, and goes on", () => {
    const log = Array.from({ length: 1_500 }, (_, at) => `line ${at} of the log, nothing special`).join("\n");
    const steps = [0, 1, 2].flatMap((at) => [call("read", { file_path: `${at}.log` }), { text: `Read ${at}.` }]);
    const script = scriptWith([...steps, edit, { text: "Raised." }], () => ({ text: "Logs were read." }));
    return withChat(
      kind,
      { script, files: { ...files, "0.log": log, "1.log": log, "2.log": log }, folder },
      async (lab) => {
        const session = await lab.open({ mode: "edit", parts: { windowOf: async () => 40_000 } });
        const events: TurnEvent[] = [];
        for (const at of [0, 1, 2]) events.push(...(await hear(session.send(`read ${at}.log`))));
        const last = await hear(session.send("raise the VAT"));
        expect([...events, ...last].some(({ kind: one }) => one === "compacted")).toBe(true);
        expect(lab.model.requests.some(asksForSummary)).toBe(true);
        expect(textsOf(lab.sent(-1)).join()).toContain("Logs were read.");
        expect(endOf(last).reason).toBe("done");
        expect(readFileSync(join(lab.cwd, "cart.txt"), "utf8")).toContain("vat: 19");
        await session.close();
      },
    );
  });

  // Without a sandbox, nobody lets these commands run.
  it.skipIf(skipWithoutSandbox)(
    "holds the first call that a learned rule warns against; the repeat passes",
    () =>
      withChat(
        kind,
        {
          script: newScript(10, [{ command: MISTAKE }, { command: MISTAKE }, { text: "I see." }]),
          files: kilnFiles,
          settings: { distil: { holdOut: false } },
          folder,
        },
        async (lab) => {
          await plantMistake(lab, 10, { ...real, mode: "edit" });
          const rule = (await listRules(lab.mind.db)).find((one) => one.matcher !== null);
          const provenance = makeProvenance(lab.mind, "review", "");
          await decideRule(lab.mind, rule?.id ?? "", provenance, (one) => approveRule(one, "nudge"));
          const session = await lab.open({ ...real, mode: "edit" });
          const events = await hear(session.send("fire cup 11"));
          const ends = events.flatMap((event) => (event.kind === "tool-end" ? [event.text] : []));
          expect(ends).toHaveLength(2);
          expect(ends[0]).toContain("--plaid");
          expect(ends[0]).not.toContain("shelf 1 is checked");
          expect(ends[1]).toContain("shelf 1 is checked");
          expect(events.filter((event) => event.kind === "tool-start")).toHaveLength(1);
          await session.close();
        },
      ),
    300_000,
  );

  it("stores no secret that has a placeholder, though its tools and the person see it", () => {
    const secret = "hunter2hunter2";
    const script: Script = ({ body }, at) => {
      const [name = "none"] = /oldhand-secret-[0-9a-z]{10}/.exec(JSON.stringify(body)) ?? [];
      const turns: readonly ScriptedTurn[] = [
        call("write", { file_path: "note.txt", content: `Log in with ${name}.\n` }),
        call("shell", { command: "cat note.txt" }),
        call("remember", { text: `The word is ${name}, as always.` }),
        call("sub_agent", { task: `Say ${name} again.` }),
        { text: "Done." },
        call("http_request", { url: `https://example.org/${name}`, method: "GET" }),
        { text: `It was ${name}.` },
      ];
      return turns[at] ?? { text: `Nothing but ${name}.` };
    };
    return withChat(kind, { script, files, folder }, async (lab) => {
      const session = await lab.open({ ...real, mode: "edit" });
      const events = await hear(session.send(`Log in with password=${secret} and note it`));
      expect(endOf(events).reason).toBe("done");
      await hear(session.send(`Does ${secret} still work?`));
      await session.close();
      expect(readFileSync(join(lab.cwd, "note.txt"), "utf8")).toBe(`Log in with ${secret}.\n`);
      expect(JSON.stringify(events)).toContain(secret);
      expect(JSON.stringify(lab.model.requests).includes(secret)).toBe(false);
      expect(await findStored(lab, secret)).toEqual([]);
    });
  });
});

/** Another process with the same mind. */
function runElsewhere(lab: ChatLab, words: readonly string[]) {
  const env = { ...cleanEnv(lab.home), OLDHAND_HOME: lab.home, OLDHAND_DATABASE: lab.database };
  const now = new Date(START + 1_000).toISOString();
  return exec(process.execPath, [program, ...words, "--now", now], { env, cwd: lab.cwd });
}

/** The tables, and the files of sessions, that hold this text. */
async function findStored({ mind, home }: ChatLab, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of tables) {
    if ((onlyInStore[name] ?? mind.store.kind) !== mind.store.kind) continue;
    if (JSON.stringify(await mind.db.all(`select * from ${name}`)).includes(text)) found.push(name);
  }
  const logs = join(home, "sessions");
  expect(existsSync(logs)).toBe(true);
  for (const name of readdirSync(logs)) if (readFileSync(join(logs, name), "utf8").includes(text)) found.push(name);
  return found;
}
