import { expect, it } from "vitest";
import { isCredentialFile } from "./credential-file.ts";
import { scriptFiles } from "./declared-scripts.ts";

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
