import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeAnthropic } from "../../src/testing/fake-anthropic.ts";
import type { ScriptedServer, ScriptedTurn } from "../../src/testing/scripted-server.ts";
import { seenInSandbox } from "../converse/tool-context.ts";
import type { Place } from "../program.ts";

export const CART = "price: 10\nvat: 7\n";

/** A workspace that oldhand knows, and a scripted model that oldhand's own agent talks to. */
export interface ChatPlace {
  readonly model: ScriptedServer;
  /** A folder named `shop` with the file cart.txt. */
  readonly shop: string;
  cart(): string;
  /** What the model does next, for each request in turn. Without a turn left, it says `Done.` */
  script(...turns: readonly ScriptedTurn[]): void;
  remove(): Promise<void>;
}

export const callTool = (tool: string, input: Readonly<Record<string, unknown>>, text?: string): ScriptedTurn => ({
  calls: [{ tool, input }],
  ...(text === undefined ? {} : { text }),
});

export const readCart = callTool("read", { file_path: "cart.txt" });
export const editCart = callTool("edit", { file_path: "cart.txt", old_string: "vat: 7", new_string: "vat: 19" });

export async function newChatPlace(place: Place): Promise<ChatPlace> {
  let turns: readonly ScriptedTurn[] = [];
  const next = (): ScriptedTurn => {
    const [turn = { text: "Done." }, ...rest] = turns;
    turns = rest;
    return turn;
  };
  const model = await fakeAnthropic(next, { everyRequest: true });
  const dir = realpathSync(mkdtempSync(join(seenInSandbox, "oldhand-chat-page-")));
  const shop = join(dir, "shop");
  mkdirSync(join(shop, ".git"), { recursive: true });
  writeFileSync(join(shop, "cart.txt"), CART);
  mkdirSync(place.home, { recursive: true });
  const models = { use: ["anthropic/claude-sonnet-4-5"], exploreShare: 0, retryMs: 1, retries: 0 };
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ embedder: "none", models }));
  const known = { session: "known", seq: 1, ts: "2026-01-05T09:00:00Z", agent: "claude-code", cwd: shop };
  const call = { tool: "Bash", input: { command: "ls" }, ok: true, error_text: null };
  writeFileSync(join(dir, "known.jsonl"), `${JSON.stringify({ ...known, ...call })}\n`);
  await place.json(["import", join(dir, "known.jsonl"), "--no-rules"]);
  return {
    model,
    shop,
    cart: () => readFileSync(join(shop, "cart.txt"), "utf8"),
    script: (...given) => {
      turns = given;
    },
    remove: async () => {
      await model.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** What a server needs to reach the scripted model. */
export const modelEnv = ({ url }: ScriptedServer) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "plain-first-key-4711",
});
