import { expect, it } from "vitest";
import { isCredentialFile } from "./credential-file.ts";
import { declaresScript, scriptFiles } from "./declared-scripts.ts";

it.each([
  ["package.json", '{"scripts":{"build":"x","test:unit":"y"}}', ["build", "test:unit"]],
  ["package.json", "{ broken", []],
  ["deno.jsonc", '{\n  // tasks\n  "tasks": { "dev": "x", },\n}', ["dev"]],
  ["composer.json", '{"scripts":{"cs":"x"}}', ["cs"]],
  ["Makefile", "CC := gcc\n.PHONY: all\nall: lib\n\nlib docs:\n\techo a: b\n%.o: %.c\n", ["all", "lib", "docs"]],
  ["justfile", "set shell := ['sh']\nbuild target='x':\n  echo\n@test: build\n", ["build", "test"]],
  [
    "Taskfile.yml",
    "version: '3'\ntasks:\n  build:\n    cmds: [x]\n  lint:fix:\n    cmds: [y]\n",
    ["build", "lint:fix"],
  ],
  [
    "pyproject.toml",
    '[project.scripts]\nserve = "a:b"\n[tool.poe.tasks]\nlint = "x"\n[tool.x]\nno = 1\n',
    ["serve", "lint"],
  ],
])("the names declared in %s", (file, text, names) => {
  expect(scriptFiles.find((one) => one.file === file)?.names(text)).toEqual(names);
});

it.each([
  ["Makefile", "proto-gen:\n\techo", "proto", false],
  ["Makefile", "proto-gen:\n\techo", "proto-gen", true],
  ["Makefile", "proto.pb.go: x\n", "proto", false],
  ["Makefile", "lib docs: all\n", "docs", true],
  ["Makefile", "bin/tool:main.go\n", "bin/tool", true],
  ["Makefile", "all: docs\n", "docs", false],
  ["Makefile", "docs := a:b\n", "docs", false],
  ["Makefile", "a b &: c\n", "a", true],
  ["Makefile", "test::\n", "test", true],
  ["justfile", "test-unit:\n  x\n", "test", false],
  ["justfile", "@test-unit:\n  x\n", "test-unit", true],
  ["justfile", "test *args='-v':\n  x\n", "test", true],
  ["justfile", "build test:\n  x\n", "test", false],
  ["justfile", "alias t := test-unit\n", "t", true],
  ["justfile", "test := 'x'\n", "test", false],
  ["Taskfile.yml", "tasks:\n  test:unit:\n    cmds: []\n", "test", false],
  ["Taskfile.yml", "tasks:\n  test:unit:\n    cmds: []\n", "test:unit", true],
  ["Taskfile.yml", "tasks:\n  test: go test\n", "test", true],
])("whether %s with %j declares %s: %s", (file, text, name, expected) => {
  expect(declaresScript(file, text, name)).toBe(expected);
});

it.each([
  ".env",
  ".env.local",
  "keys/server.pem",
  ".ssh/config",
  "credentials.json",
  "api_token.txt",
  ".npmrc",
  "id_rsa",
])("%s is a file of secrets", (path) => expect(isCredentialFile(path)).toBe(true));

it.each([".env.example", "src/token.ts", "docs/password.md", "package.json", "environment.ts", "keys.ts"])(
  "%s is none",
  (path) => expect(isCredentialFile(path)).toBe(false),
);
