import { posix } from "node:path";

/**
 * The files of a project that a source file may mean by its imports, as paths from the project's root: of each import, all
 * places where its language looks. For JavaScript and TypeScript, Python, Ruby and PHP.
 */
export function listImports(path: string, text: string): readonly (readonly string[])[] {
  const folder = posix.dirname(path);
  if (/\.[cm]?[jt]sx?$/.test(path))
    return matchAll(text, scriptImports).map((name) =>
      name.startsWith(".") ? placesOfScript(join(folder, name)) : [],
    );
  if (path.endsWith(".py")) return matchAll(text, pythonImports).map((name) => placesOfPython(folder, name));
  if (path.endsWith(".rb"))
    return matchAll(text, rubyImports).map((name) =>
      [folder, ".", "lib"].map((one) => withEnd(join(one, name), ".rb")),
    );
  if (path.endsWith(".php"))
    return matchAll(text, phpImports).map((name) => [folder, "."].map((one) => join(one, name.replace(/^\//, ""))));
  return [];
}

const scriptImports = /(?:\bfrom|\bimport|\brequire(?:\.resolve)?\s*\(|\bimport\s*\()\s*["'`]([^"'`\n]+)["'`]/g;
const pythonImports = /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import\b|import[ \t]+([\w.]+))/gm;
const rubyImports = /\brequire(?:_relative)?\s*\(?\s*["']([^"'\n]+)["']/g;
const phpImports = /\b(?:require|include)(?:_once)?\s*\(?\s*(?:__DIR__\s*\.\s*)?["']([^"'\n]+)["']/g;

const scriptEnds = [".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".jsx", ".tsx"];

/** `./expect`, `./expect.js` (which may be expect.ts before it is built), `./expect/index.js`. */
function placesOfScript(place: string): readonly string[] {
  const bare = place.replace(/\.[cm]?[jt]sx?$/, "");
  return [place, ...scriptEnds.flatMap((end) => [`${bare}${end}`, `${place}/index${end}`])];
}

/** Beside the file, at the root, and in `src`; with dots in front, from the file's own package. */
function placesOfPython(folder: string, name: string): readonly string[] {
  const [dots = ""] = /^\.*/.exec(name) ?? [];
  const inner = name.slice(dots.length).replaceAll(".", "/");
  const roots = dots === "" ? [folder, ".", "src"] : [join(folder, "../".repeat(dots.length - 1))];
  return roots.flatMap((root) => [`${join(root, inner)}.py`, join(root, `${inner}/__init__.py`)]);
}

function matchAll(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, first, second]) => first ?? second ?? "").filter((name) => name !== "");
}

function withEnd(path: string, end: string): string {
  return path.endsWith(end) ? path : `${path}${end}`;
}

function join(folder: string, name: string): string {
  return posix.normalize(posix.join(folder, name));
}

/** True if a name on the path says that it is there for checks, such as support/eq.js or tools/expect.py. */
export function isNamedForChecks(path: string): boolean {
  const parts = path.split("/");
  return parts.some((part, at) => checkNames.test(at === parts.length - 1 ? part.replace(/\.[^.]+$/, "") : part));
}

const checkNames =
  /(?:^|[._-])(?:support|helpers?|harness|expect(?:ations?)?|assert(?:ions?)?|matchers?|compare|checks?|checkers?|verify|verifier|testing|test-?(?:utils?|kit|lib|base|case)|utils?[._-]test|mocks?|stubs?|fakes?|fixtures?)(?:$|[._-])/i;
