import { describe, expect, it } from "vitest";
import { folderCovers, listCoveringFolders, relativePathWithin } from "./workspace.ts";

const separators = [
  ["slashes", "/"],
  ["backslashes", "\\"],
] as const;

describe.each(separators)("a folder, with %s", (_, sep) => {
  const path = (...parts: readonly string[]) => [sep === "/" ? "" : "C:", ...parts].join(sep);

  it("covers itself and what is below it, and not what only begins like it", () => {
    expect(folderCovers(path("w"), path("w"))).toBe(true);
    expect(folderCovers(path("w"), path("w", "web", "src"))).toBe(true);
    expect(folderCovers(path("w"), path("webbing"))).toBe(false);
    expect(folderCovers(path("w", "web"), path("w"))).toBe(false);
  });

  it("is among the folders over a path exactly if it covers it", () => {
    const all = [["w"], ["w", "web"], ["w", "web", "src"], ["w", "webbing"], ["other"]].map((one) => path(...one));
    for (const folder of all)
      for (const below of all)
        expect([folder, below, listCoveringFolders(below).includes(folder)]).toEqual([
          folder,
          below,
          folderCovers(folder, below),
        ]);
    expect(listCoveringFolders(path("w", "web")).slice(0, 2)).toEqual([path("w", "web"), path("w")]);
  });

  it("has one path to what is below it, whichever machine it was recorded on", () => {
    expect(relativePathWithin(path("w"), path("w", "web", "src"))).toBe("web/src");
    expect(relativePathWithin(path("w"), path("w"))).toBe("");
    expect(relativePathWithin(path("w"), path("webbing"))).toBeNull();
  });
});

describe("the folders over a path", () => {
  it("are none over nothing, and end at the root", () => {
    expect(listCoveringFolders("")).toEqual([]);
    expect(listCoveringFolders("/")).toEqual(["/"]);
    expect(listCoveringFolders("/w")).toEqual(["/w"]);
  });

  it("may mix separators, as Windows does", () => {
    expect(listCoveringFolders("C:\\w/web")).toEqual(["C:\\w/web", "C:\\w", "C:"]);
    expect(folderCovers("C:\\w", "C:\\w/web")).toBe(true);
  });
});
