import { expect, it } from "vitest";
import { asksForHelp } from "./help-call.ts";

it.each([
  "render --help",
  "python3 render.py --help",
  "python3 -m render --help",
  "bin/skiff build --help | head -20",
  "bin/skiff --help build",
  "bin/skiff help build",
  "docker compose help up",
  "git -C web help push",
  "render -h",
  "pytest --version",
  "tar --version 2>&1 | head -1",
  "cd web && npm run build -- --help",
  "man tar",
])("asks what a program can do: %s", (line) => expect(asksForHelp(line)).toBe(true));

it.each([
  "render --output out a.md",
  "psql -h localhost",
  "du -h",
  "du -sh -h src",
  "grep -- --help README.md",
  "grep -e --help README.md",
  "rg '--help' src",
  "echo --help",
  "npm version patch",
  "npm run help-desk",
  "python3 tools/help.py build",
  "bin/skiff build --help && bin/skiff build --package web",
  "",
])("does the work: %s", (line) => expect(asksForHelp(line)).toBe(false));
