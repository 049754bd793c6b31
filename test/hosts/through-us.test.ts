import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoredRow } from "../models/pass-through/passing.ts";
import { describeHosts, type DrivenHost, hostTitle } from "./lab/driven.ts";
import { newestClaudeCode } from "./lab/hosts/claude-code.ts";
import { codex } from "./lab/hosts/codex.ts";
import type { Lab, SessionJob, SessionRecord } from "./lab/lab.ts";
import { storedModelCalls } from "./lab/stored-model-calls.ts";
import { asked } from "./lab/wire.ts";

interface Through {
  readonly host: DrivenHost;
  /** How its user sends it through oldhand: docs/models.md. */
  set(lab: Lab): void;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string;
  readonly provider: string;
  /** The header that has the client's own key. */
  readonly key: (record: SessionRecord) => unknown;
  /** Its user has a subscription instead of a key. */
  readonly subscription?: { readonly env: Readonly<Record<string, string>>; readonly secret: string };
}

/** As docs/models.md has it, and what the lab needs: it names a provider of its own on the command line, which is not used. */
const codexSettings = `approval_policy = "never"
sandbox_mode = "danger-full-access"
${documentedToml()}
[model_providers.lab]
name = "lab"

[analytics]
enabled = false
`;

function documentedToml(): string {
  const page = readFileSync(new URL("../../docs/models.md", import.meta.url), "utf8");
  return /```toml\n([^]*?)```/.exec(page)?.[1] ?? "";
}

const throughClaude = {
  ANTHROPIC_BASE_URL: "http://127.0.0.1:4517",
  ANTHROPIC_CUSTOM_HEADERS: "x-oldhand-token: {token}",
};
const SECRET = "ghp_x7Kq2mVb9RtYwZ4nLs8JcDf3GhPa6Eu1oTiB";
const oauth = "sk-ant-oat01-a-subscription-that-is-not-real-0123456789";

const hosts: readonly Through[] = [
  {
    host: newestClaudeCode,
    set: () => {},
    env: throughClaude,
    model: "claude-opus-5-5",
    provider: "anthropic",
    key: (record) => asked(record)[0]?.headers["x-api-key"],
    subscription: {
      env: { ...throughClaude, ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: oauth },
      secret: oauth,
    },
  },
  {
    host: codex,
    set: (lab) => lab.write(codexSettings, ".codex", "config.toml"),
    env: { OPENAI_API_KEY: "fake-key-not-real", OLDHAND_TOKEN: "{token}" },
    model: "gpt-5.5",
    provider: "openai",
    key: (record) => String(asked(record)[0]?.headers.authorization).replace("Bearer ", ""),
  },
];

describeHosts(
  ({ host }) => `${hostTitle(host)} through oldhand`,
  hosts,
  ({ host, newLab, set, env, model, provider, key, subscription }) => {
    const through = (lab: Lab, job: SessionJob) => lab.session({ serve: true, env, prompt: "say hi", ...job });
    const open = () => {
      const lab = newLab({ install: null });
      set(lab);
      return lab;
    };
    const overloaded = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } };
    const turns = [{ calls: [host.shell("echo through-us")] }, overloaded, { text: "That is all." }];

    describe("a session", () => {
      let lab: Lab;
      let session: SessionRecord;
      let rows: readonly StoredRow[];
      beforeAll(async () => {
        lab = open();
        session = await through(lab, { turns });
        rows = await storedModelCalls(lab);
      });
      afterAll(() => lab.close());

      it("runs to its end, with a provider that was busy once", () => {
        expect(session).toMatchObject({ status: 0, remaining: 0 });
        expect(session.stdout).toContain("That is all.");
      });

      it("has a row with its cost for each call, under the client's name and session", () => {
        const own = rows.filter((row) => row.model === model);
        expect(own.length).toBeGreaterThanOrEqual(2);
        for (const row of own) {
          expect(row).toMatchObject({ agent: host.name, provider, outcome: "ok", price_known: 1, list_price: 0 });
          expect(row).toMatchObject({ tokens_in: 100, tokens_out: 20, session: own[0]?.session });
          expect(row.cost_nanos).toBeGreaterThan(0);
        }
        expect(own[0]?.session).toMatch(/^[\w-]{20,}$/);
        expect(own.filter((row) => row.healed === 1)).toMatchObject([{ attempts: 2 }]);
        expect(lab.oldhand("models", "costs", "agent").out).toContain(host.name);
      });

      it("reaches the provider with the client's key and without our token", () => {
        expect(key(session)).toBe("fake-key-not-real");
        const token = lab.read(".oldhand", "token")?.trim() ?? "none";
        expect(JSON.stringify(session.requests)).not.toContain(token);
        expect(stored(lab)).not.toContain("fake-key-not-real");
      });
    });

    it("is stopped at the cap, with an error that its user sees; the command in it lets the next session run", async () => {
      const lab = open();
      expect(lab.oldhand("models", "caps", "set", "day", "0.01").status).toBe(0);
      const stopped = await through(lab, { turns });
      expect(stopped.status).not.toBe(0);
      expect(asked(stopped)).toEqual([]);
      const shown = `${stopped.stdout}${stopped.stderr}`;
      const [, words = ""] = /oldhand (models caps extend day [\d.]+)/.exec(shown) ?? [];
      expect(words).not.toBe("");
      expect(
        (await storedModelCalls(lab)).every(({ outcome, cost_nanos }) => outcome === "capped" && cost_nanos === 0),
      ).toBe(true);
      expect(lab.oldhand(...words.split(" ")).status).toBe(0);
      expect(await through(lab, { turns: [{ text: "Paid." }] })).toMatchObject({ status: 0, remaining: 0 });
      lab.close();
    });

    it("sends no secret to the provider, and runs a tool with it nevertheless", async () => {
      const lab = open();
      const touch = { calls: [host.shell("touch got-$1")] };
      const session = await through(lab, {
        prompt: `the token is ${SECRET}; touch a file of that name`,
        turns: [{ choose: [{ when: "(oldhand-secret-[0-9a-z]{10})", turn: touch }] }, { text: "Written." }],
      });
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expect(JSON.stringify(session.requests)).not.toContain(SECRET);
      expect(existsSync(join(lab.project, `got-${SECRET}`))).toBe(true);
      lab.close();
    });

    if (subscription === undefined) return;
    it("with a subscription counts at list price, and stores no token", async () => {
      const lab = open();
      const session = await through(lab, { turns, env: subscription.env });
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expect(asked(session)[0]?.headers.authorization).toBe(`Bearer ${subscription.secret}`);
      const own = await storedModelCalls(lab);
      expect(own.length).toBeGreaterThanOrEqual(2);
      expect(own.every((row) => row.list_price === 1 && row.cost_nanos > 0)).toBe(true);
      expect(stored(lab)).not.toContain(subscription.secret);
      lab.close();
    });
  },
);

/** Every byte in the mind's folder. */
function stored(lab: Lab): string {
  return lab
    .find(".oldhand", "")
    .map((file) => readFileSync(file, "latin1"))
    .join("\n");
}
