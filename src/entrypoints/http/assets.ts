import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { packageRoot } from "../../lib/package-root.ts";

export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** True if the name contains its hash. */
  readonly immutable: boolean;
}

export interface Assets {
  find(pathname: string): Asset | null;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/**
 * The built dashboard, read into memory at start. A request can only name what is in this map, so no path leads
 * outside.
 */
export function loadAssets(folder = join(packageRoot(), "dist", "dashboard")): Assets {
  const files = new Map<string, Asset>();
  if (existsSync(folder)) {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) continue;
      files.set(`/${name.replaceAll("\\", "/")}`, {
        body: Uint8Array.from(readFileSync(path)),
        type: types[extname(name)] ?? "application/octet-stream",
        immutable: name.startsWith("assets"),
      });
    }
  }
  return {
    find: (pathname) => files.get(pathname) ?? (isView(pathname) ? (files.get("/index.html") ?? null) : null),
  };
}

/**
 * Every view has its own address and is served by the one page. Below a view, a name may be anything, such as a
 * session's.
 */
function isView(pathname: string): boolean {
  return !pathname.startsWith("/assets/") && (extname(pathname) === "" || /^.+\//.test(pathname));
}
