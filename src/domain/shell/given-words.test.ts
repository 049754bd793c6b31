import { describe, expect, it } from "vitest";
import { findAddress, findAddressInError, isSameAddress } from "./address.ts";
import { findMainCommand, type ShellCommand } from "./command.ts";
import { splitGivenWords } from "./option-values.ts";
import { plainPath, plainTrait } from "./plain-path.ts";
import { typedHead } from "./typed-head.ts";

const main = (shell: string) => findMainCommand(shell) as ShellCommand;

describe("what a command is given", () => {
  it.each([
    ["tools/tally --oven 7", [], ["--oven 7"]],
    ["tools/tally --oven=7", [], ["--oven 7"]],
    ["tools/tally 7", ["7"], []],
    ["tools/tally --oven 7 8", ["8"], ["--oven 7"]],
    ["tools/tally -o 7", [], ["-o 7"]],
    ["tools/tally -v rye", ["rye"], []],
    ["tools/tally --month 2024-09", [], ["--month 2024-09"]],
    // Such a word may be the option's value or an argument, so it counts as both.
    ["tools/tally --env staging", ["staging"], ["--env staging"]],
    ["vitest --run tests/a2.ts", ["tests/a2.ts"], ["--run tests/a2.ts"]],
    ["tools/tally --force 7", ["7"], []],
    ["curl -X POST x", ["POST", "x"], ["-X POST"]],
    ["tools/tally -- --oven 7", ["--oven", "7"], []],
    ["npm run tally -- --oven 7", ["--oven"], ["--oven 7"]],
    ["docker run tally --oven 7", ["tally"], ["--oven 7"]],
    ["go test ./... -count 7", ["./..."], ["-count 7"]],
    ["git log --oneline 7", ["7"], []],
  ])("of %s", (shell, args, values) => {
    expect(splitGivenWords(main(shell))).toEqual({ args, values });
  });
});

describe("an address", () => {
  it.each([
    ["http://127.0.0.1:4000/x", "localhost:4000"],
    ["localhost:4000", "localhost:4000"],
    ["http://[::1]:4000", "localhost:4000"],
    ["https://Example.test/x", "example.test:443"],
    ["postgres://me@db.test/x", "db.test"],
    ["src/a.ts:12", null],
    ["12:30", null],
    ["README.md", null],
  ])("is read from %s", (word, address) => {
    expect(findAddress(word)).toBe(address);
  });

  it.each([
    ["curl: (7) Failed to connect to 127.0.0.1 port 4000 after 0 ms: Couldn't connect", "localhost:4000"],
    ["Error: connect ECONNREFUSED ::1:4000", null],
    ["Error: connect ECONNREFUSED 127.0.0.1:4000", "localhost:4000"],
    ['connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused', "localhost:5432"],
    ["curl: (6) Could not resolve host: example.test", "example.test"],
    ["getaddrinfo EAI_AGAIN registry.npmjs.org", "registry.npmjs.org"],
  ])("is read from the error %s", (line, address) => {
    expect(findAddressInError(line)).toBe(address);
  });

  it("is the same where the error knows no port", () => {
    expect(isSameAddress("example.test:443", "example.test")).toBe(true);
    expect(isSameAddress("example.test:443", "example.test:80")).toBe(false);
  });
});

describe("a path", () => {
  it("is the same with and without a dot before it, unless that makes it a name", () => {
    expect(plainPath("./v2/api.txt", "cat")).toBe("v2/api.txt");
    expect(plainPath("./api.txt", "cat")).toBe("api.txt");
    expect(plainPath("./gate", "cat")).toBe("./gate");
    expect(plainPath("./cmd/web", "go")).toBe("./cmd/web");
    expect(plainTrait("arg ./v2/api.txt", "cat")).toBe("arg v2/api.txt");
    expect(plainTrait("flag ./x/y", "cat")).toBe("flag ./x/y");
  });

  it("stays in the head as it was typed", () => {
    expect(typedHead(main("./bin/gate run"))).toBe("bin/gate run");
    expect(typedHead(main("./gate run"))).toBe("./gate run");
    expect(typedHead(main("git push"))).toBe("git push");
    expect(typedHead(main("/opt/bin/gate run"))).toBe("/opt/bin/gate run");
  });
});
