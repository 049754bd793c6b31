import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { OperationMap } from "../../../src/operations.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import type { ScriptedServer } from "../../../src/testing/scripted-server.ts";
import { stores } from "../../stores.ts";
import { type GoalPlace, type GoalSettings, withGoals } from "../goal-place.ts";

export type CheckInput = Partial<OperationMap["task add"]["input"]>;
export type Verified = OperationMap["task verify"]["output"];

/** A real repository with one commit, and a task that was added then. */
export interface ProofPlace extends GoalPlace {
  readonly shop: Shop;
  readonly id: string;
  verify(more?: { readonly commit?: string }): Promise<Verified>;
}

/** What whoever does the work can do in the repository. */
export interface Shop {
  readonly folder: string;
  /** Of a text or, for `{ link }`, a link; null removes it. */
  write(files: Files): void;
  git(...args: readonly string[]): string;
  commit(message?: string): string;
}

export type Files = Readonly<Record<string, string | null | { readonly link: string }>>;

/** A shop whose one test fails, and whose other one passes. */
export const shopFiles: Files = {
  "package.json": '{ "scripts": { "test": "node --test", "verify": "sh tools/verify.sh" } }\n',
  ".gitignore": "node_modules/\ndist/\n",
  "src/cart.js": "exports.total = () => 0;\n",
  "test/cart.test.js":
    'const { test } = require("node:test");\nconst { equal } = require("node:assert");\nconst { total } = require("../src/cart.js");\n' +
    'test("nothing costs nothing", () => equal(total([]), 0));\ntest("prices are added", () => equal(total([2, 3]), 5));\n',
  "tools/verify.sh": "node -e \"process.exit(require('./src/cart.js').total([2, 3]) === 5 ? 0 : 1)\"\n",
  Makefile: "verify:\n\t@sh tools/verify.sh\n",
};

/** The work, done well. */
export const workDone: Files = {
  "src/cart.js": "exports.total = (prices) => prices.reduce((sum, one) => sum + one, 0);\n",
};

export function withProof(
  {
    files = shopFiles,
    check,
    more = {},
  }: { readonly files?: Files; readonly check: CheckInput; readonly more?: GoalSettings },
  act: (place: ProofPlace) => Promise<void>,
): Promise<void> {
  const [store] = stores;
  if (store === undefined) throw new Error("there is no store");
  return withGoals(
    store,
    async (place) => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "oldhand-shop-")));
      try {
        const shop = openShop(folder);
        shop.git("init", "--quiet", "--initial-branch=main");
        shop.write(files);
        shop.commit("begin");
        const id = await place.task(await place.goal("ship", { folder }), "prices are added", check);
        await act({ ...place, shop, id, verify: (given = {}) => place.run("task verify", { task: id, ...given }) });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    more,
  );
}

function openShop(folder: string): Shop {
  const git = (...args: readonly string[]) => {
    const named = ["-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const ran = spawnSync("git", [...named, ...args], { cwd: folder, encoding: "utf8", env });
    if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout.trim();
  };
  return {
    folder,
    git,
    write: (files) => {
      for (const [name, content] of Object.entries(files)) {
        const path = join(folder, name);
        rmSync(path, { recursive: true, force: true });
        if (content === null) continue;
        mkdirSync(dirname(path), { recursive: true });
        if (typeof content === "string") writeFileSync(path, content);
        else symlinkSync(content.link, path);
        if (typeof content === "string" && content.startsWith("#!")) chmodSync(path, 0o755);
      }
    },
    commit: (message = "work") => {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", message);
      return git("rev-parse", "HEAD");
    },
  };
}

/** Acts with a scripted model, which is the only one. What it was asked is in `requests`. */
export async function withReviewer(
  texts: readonly string[],
  act: (model: ScriptedServer, more: GoalSettings) => Promise<void>,
): Promise<void> {
  const model = await fakeAnthropic(
    texts.map((text) => ({ text })),
    { everyRequest: true },
  );
  const models = { use: [REVIEWER], exploreShare: 0, retries: 0, retryMs: 1 };
  try {
    await act(model, {
      env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "plain-first-key-4711" },
      settings: { models },
    });
  } finally {
    await model.close();
  }
}

export const REVIEWER = "anthropic/claude-sonnet-4-5";
