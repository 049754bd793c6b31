import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./source.ts";

/** All files that a file loads, directly or indirectly, at once or later. */
function loadedBy(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(
    /^(?:import|export)(?! type)[^;]*? from "(\.[^"]+)"/gm,
  ))
    loadedBy(resolve(dirname(file), path), found);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/import\("(\.[^"]+)"\)/g))
    loadedBy(resolve(dirname(file), path), found);
  return found;
}

const writers = [
  "distil/mining/distil.ts",
  "distil/maintenance/maintenance.ts",
  "distil/maintenance/mining-slice.ts",
  "distil/maintenance/maintenance-slice.ts",
];

function writersIn(entry: string): readonly string[] {
  const names = [...loadedBy(join(root, "src", entry))].map((file) =>
    relative(join(root, "src"), file).split(sep).join("/"),
  );
  return writers.filter((one) => names.includes(one));
}

describe("what serve keeps up in the background", () => {
  it("cannot mine, promote or decay: it does not even load what does", () => {
    expect(writersIn("distil/maintenance/start-refresh-thread.ts")).toEqual([]);
    expect(writersIn("distil/maintenance/refresh-thread.ts")).toEqual([]);
  });

  it("is told apart from a hook, which can", () => {
    expect(writersIn("entrypoints/hook/learn.ts")).toContain("distil/maintenance/mining-slice.ts");
  });
});
