import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import type { Browser } from "playwright-core";
import { errorMessage, OldhandError } from "../src/lib/errors.ts";
import { packageRoot } from "../src/lib/package-root.ts";

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

interface BrowserSource {
  readonly name: string;
  find(): Promise<{ readonly path: string; readonly env: Readonly<Record<string, string>> } | null>;
}

/**
 * Launches Chromium for tests and benchmarks: the one from npm, with the system's libraries or its own, else the
 * system's.
 */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core").catch((cause: unknown) => {
    throw new OldhandError("input", `no browser can be driven here: ${errorMessage(cause)}`, {
      hint: "playwright-core is a development package: npm install in the source of oldhand brings it",
      cause,
    });
  });
  const faults: string[] = [];
  for (const way of browserSources) {
    try {
      const found = await way.find();
      if (!found) continue;
      const env = { ...(process.env as Record<string, string>), ...found.env };
      return await chromium.launch({ executablePath: found.path, args, env, headless: true });
    } catch (error) {
      faults.push(`${way.name}: ${String(error).split("\n").slice(0, 4).join(" ")}`);
    }
  }
  throw new OldhandError("input", `no Chromium starts here${faults.map((fault) => `\n${fault}`).join("")}`, {
    hint: "install the npm package @sparticuz/chromium or Debian's package chromium",
  });
}

const browserSources: readonly BrowserSource[] = [
  {
    name: "@sparticuz/chromium",
    find: async () => {
      const folder = packed();
      return folder === null ? null : { path: await unpackedFile(folder), env: {} };
    },
  },
  {
    name: "@sparticuz/chromium with its own libraries",
    find: async () => {
      const folder = packed();
      if (folder === null) return null;
      return { path: await unpackedFile(folder), env: { LD_LIBRARY_PATH: await unpackedLibraries(folder) } };
    },
  },
  {
    name: "/usr/bin/chromium",
    find: async () => (existsSync("/usr/bin/chromium") ? { path: "/usr/bin/chromium", env: {} } : null),
  },
];

const cache = join(packageRoot(), "node_modules", ".cache", "oldhand-test");

/** The folder of the packed files; null if the package is not installed or is for another platform. */
function packed(): string | null {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  try {
    const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
    return join(dirname(entry), "..", "..", "bin");
  } catch {
    return null;
  }
}

function unpackedFile(folder: string): Promise<string> {
  return makeOnce(join(cache, "chromium"), (target) =>
    pipeline(
      createReadStream(join(folder, "chromium.br")),
      createBrotliDecompress(),
      createWriteStream(target, { mode: 0o755 }),
    ),
  );
}

async function unpackedLibraries(folder: string): Promise<string> {
  const made = await makeOnce(join(cache, "chromium-libraries"), async (target) => {
    mkdirSync(target);
    const tar = `${target}.tar`;
    await pipeline(createReadStream(join(folder, "al2023.tar.br")), createBrotliDecompress(), createWriteStream(tar));
    await promisify(execFile)("tar", ["-xf", tar, "-C", target]);
    rmSync(tar);
  });
  return join(made, "lib");
}

/** Written under a temporary name and renamed, because test files run at the same time. */
async function makeOnce(target: string, make: (path: string) => Promise<void>): Promise<string> {
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  const fresh = `${target}-${randomUUID()}`;
  await make(fresh);
  if (existsSync(target)) rmSync(fresh, { recursive: true, force: true });
  else renameSync(fresh, target);
  return target;
}
