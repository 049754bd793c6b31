import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { breaches, filesUnder, isMember, isNode, literalText, type Node, sourceFiles } from "./source.ts";

/**
 * Written for Linux, macOS and Windows, but run on Linux: searches the source for what would break elsewhere. The text
 * searches leave out `domain/`: it treats commands and errors of any shell as text and opens nothing.
 */
const server = sourceFiles("src").filter((file) => !file.isTest);
const world = server.filter((file) => !file.path.startsWith("src/domain/"));

/** Exceptions, each with a reason that is valid on Windows too. */
const allowed: readonly { readonly path: string; readonly text: string; readonly because: string }[] = [
  {
    path: "src/lib/process-ref.ts",
    text: "/proc/",
    because: "read on Linux only; elsewhere the process's number must do",
  },
  {
    path: "src/store/sqlite/network-mounts.ts",
    text: "/proc/",
    because: "the mount table, read on Linux only, if a program serves the file system",
  },
  {
    path: "src/lib/end-marked-processes.ts",
    text: "/proc/",
    because: "read on Linux only; elsewhere nothing is ended",
  },
  {
    path: "src/converse/tools/shell/run-program.ts",
    text: "/dev/",
    because: "the text of a POSIX shell, which is not started on Windows",
  },
  { path: "src/lib/process-ref.ts", text: 'split("/")', because: "takes our own owner text apart, which is no path" },
  {
    path: "src/observe/wiring/hook-command.ts",
    text: "/dev/",
    because: "the text of a hook for a POSIX shell, as docs/hosts.md says",
  },
  {
    path: "src/observe/hosts/claude-code/shadows.ts",
    text: "/etc/",
    because: "Claude Code's own file, asked for on Linux",
  },
  {
    path: "src/observe/hosts/claude-code/shadows.ts",
    text: "C:\\",
    because: "Claude Code's own file, asked for on Windows",
  },
  {
    path: "src/observe/wiring/run-entry.ts",
    text: "shell",
    because: "a self-test runs a hook's command as its host does",
  },
  ...["/tmp", "/dev/"].map((text) => ({
    path: "src/converse/tools/shell/bubblewrap.ts",
    text,
    because: "the arguments of bubblewrap, which is started on Linux only",
  })),
  ...["/tmp", "/dev/", "/var/"].map((text) => ({
    path: "src/converse/tools/shell/seatbelt.ts",
    text,
    because: "the profile of sandbox-exec, which is started on macOS only",
  })),
  {
    path: "src/converse/tools/shell/shell-environment.ts",
    text: "/tmp",
    because: "a folder inside the sandbox, which Linux and macOS have",
  },
  {
    path: "src/lib/process-group.ts",
    text: "/proc/",
    because: "read on Linux only; elsewhere the answer is that nobody can know",
  },
  {
    path: "src/entrypoints/cli/commands/doctor.ts",
    text: "chmod ",
    because: "a hint, given only where files have modes",
  },
];

describe("what is written for three systems", () => {
  it("names no file or program that only one system has", () => {
    const words = ["/bin/", "/tmp", "/dev/", "/proc/", "/etc/", "/usr/", "/var/", "chmod ", "C:\\"];
    const found = world.flatMap((file) =>
      words.flatMap((word) =>
        allowed.some((one) => one.path === file.path && one.text === word)
          ? []
          : breaches([file], (node) => (literalText(node) ?? "").includes(word)).map((place) => `${place} has ${word}`),
      ),
    );
    expect(found).toEqual([]);
  });

  it("starts no shell", () => {
    const found = breaches(
      server.filter((file) => !allowed.some((one) => one.path === file.path && one.text === "shell")),
      (node) =>
        (node.type === "ImportSpecifier" && ["exec", "execSync"].includes(nameOf(node["imported"]))) ||
        /^(sh|bash|cmd|powershell)( -c| \/c|\.exe)/.test(literalText(node) ?? "") ||
        (node.type === "Property" && isNode(node["key"]) && node["key"]["name"] === "shell" && valueOf(node) === true),
    );
    expect(found).toEqual([]);
  });

  it("takes paths apart with node:path", () => {
    const found = world.flatMap((file) =>
      allowed.some((one) => one.path === file.path && one.text === 'split("/")')
        ? []
        : breaches([file], (node) => cutsAtSlash(node)),
    );
    expect(found).toEqual([]);
  });

  it("makes a path of a URL by fileURLToPath", () => {
    expect(
      breaches(
        server,
        (node) =>
          node.type === "MemberExpression" &&
          isNode(node["object"]) &&
          node["object"].type === "NewExpression" &&
          nameOf(node["property"]) === "pathname" &&
          isImportMeta(node["object"]),
      ),
    ).toEqual([]);
  });

  it("asks for user numbers only where there are some", () => {
    // `process.getuid?.()` is allowed: the function does not exist on Windows.
    const found = breaches(
      server,
      (node) =>
        node.type === "CallExpression" &&
        node["optional"] !== true &&
        isNode(node["callee"]) &&
        isMember(node["callee"], "process", "getuid"),
    );
    expect(found).toEqual([]);
  });

  it("still needs every exception it lists", () => {
    const stale = allowed.filter((one) => !server.find((file) => file.path === one.path)?.text.includes(one.text));
    expect(stale).toEqual([]);
  });

  it("has file names every system can hold, also those that ignore case", () => {
    const names = ["src", "dashboard/src", "test", "scripts", "docs", "samples", "schemas"].flatMap(filesUnder);
    const impossible = names.filter(
      (path) => /[<>:"|?*\\]|[. ]$/.test(path) || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(basename(path)),
    );
    const lower = names.map((path) => path.toLowerCase());
    const twice = names.filter((_path, index) => lower.indexOf(lower[index] ?? "") !== index);
    expect({ impossible, twice }).toEqual({ impossible: [], twice: [] });
  });
});

function cutsAtSlash(node: Node): boolean {
  const callee = node.type === "CallExpression" ? node["callee"] : null;
  if (!isNode(callee) || callee.type !== "MemberExpression") return false;
  const [first] = node["arguments"] as readonly unknown[];
  return ["split", "lastIndexOf"].includes(nameOf(callee["property"])) && isNode(first) && literalText(first) === "/";
}

function isImportMeta(node: Node): boolean {
  return (node["arguments"] as readonly unknown[]).some(
    (one) =>
      isNode(one) && one.type === "MemberExpression" && isNode(one["object"]) && one["object"].type === "MetaProperty",
  );
}

function nameOf(value: unknown): string {
  return isNode(value) && typeof value["name"] === "string" ? value["name"] : "";
}

function valueOf(node: Node): unknown {
  return isNode(node["value"]) ? node["value"]["value"] : undefined;
}
