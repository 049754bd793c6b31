import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";
import { root } from "../program.ts";

const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: readonly string[] };
const packed = files.filter((one) => !one.startsWith("!"));

it("every link in a page of the package leads to a file of the package", () => {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => join("docs", name));
  const pages = [...packed, ...docs].filter((name) => name.endsWith(".md"));
  const dead = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target.replace(/#.*$/, ""))
      .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
      .map((target) => resolve(root, dirname(page), target))
      .filter((path) => !existsSync(path) || !packed.some((one) => isWithin(path, join(root, one))))
      .map((path) => `${page}: ${relative(root, path)}`),
  );
  expect(dead).toEqual([]);
});

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
