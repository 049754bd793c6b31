import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { commandsIn, isForeign, newDesk, root } from "./console.ts";
import { startScriptedModel } from "./scripted-model.ts";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].filter((path) => commandsIn(path).some((shown) => !isForeign(shown.command)));

describe.skipIf(process.platform === "win32")("what the pages show (they are written for a POSIX shell)", () => {
  it.each(pages)("happens: %s", async (path) => {
    const needsServer = commandsIn(path).some((shown) => shown.command.includes("postgres://"));
    const place = needsServer ? await stores.find((store) => store.name === "postgres")?.fresh() : undefined;
    const needsModel = commandsIn(path).some((shown) => shown.command.includes(" ollama/"));
    const model = needsModel ? await startScriptedModel() : null;
    const desk = await newDesk({ database: place?.database ?? null, ollama: model?.url ?? null });
    try {
      for (const shown of commandsIn(path)) if (!isForeign(shown.command)) await desk.run(shown);
    } finally {
      desk.clear();
      await model?.close();
      await place?.remove();
    }
  });
});

describe("the README", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");

  it("begins with the two commands that are all the set-up there is", () => {
    const scripts = (
      JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> }
    ).scripts;
    const top = text.split("\n").slice(0, 20).join("\n");
    expect(top).toContain("npm install && npm start");
    expect(top).toContain("npm install && npm test");
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test"]));
  });
});
