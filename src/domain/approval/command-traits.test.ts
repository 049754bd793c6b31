import { describe, expect, it } from "vitest";
import { readCommandTraits } from "./command-traits.ts";

const place = {
  workspace: "/home/ada/shop",
  cwd: "/home/ada/shop/src",
  userHome: "/home/ada",
  own: ["/home/ada/.oldhand"],
};
const read = (command: string, over: Partial<typeof place> = {}) =>
  readCommandTraits(command, { ...place, ...over }, { needsNetwork: false });

describe("a command that plainly reads", () => {
  it.each([
    "ls -la",
    "git status",
    "git log --oneline -5 | head -3",
    "cat package.json && wc -l a.ts",
    "grep -n x a.ts 2>/dev/null",
    "git diff --stat",
  ])("is recognised: %s", (command) =>
    expect(read(command)).toEqual({ isReading: true, reachesHome: "no", needsNetwork: false }),
  );

  it.each([
    "ls; rm x",
    "ls && rm -rf .",
    "ls | sh",
    "cat a > b",
    "cat $(rm x)",
    "cat `rm x`",
    "ls & rm x",
    "ls\nrm x",
    "find . -delete",
    "sort -o b a",
    "git -c core.pager=evil log",
    "git diff --output=b",
    "git log --ext-diff",
    "X=1 ls",
    "sudo ls",
    "./ls",
    "cat .env",
    "cat config/.ENV",
    "cat .e*",
    "git show HEAD:.env",
    "cat /etc/passwd",
    "cat ../../bank/a",
    "cat ~/a",
    "grep -r key .",
    "rg --pre sh x",
    "cd /etc && cat passwd",
    "eval ls",
    "",
  ])("is not: %j", (command) => expect(read(command).isReading).toBe(false));
});

describe("a command that can reach oldhand's home", () => {
  it.each([
    "cat ~/.oldhand/config.json",
    "cat $HOME/.oldhand/token",
    "cat /home/ada/.old''hand/mind.db",
    "cat /home/ada/.old\\hand/mind.db",
    "cat ../../.oldhand/token",
    "ls ~",
    "rm -rf /home/ada",
    "find / -name mind.db",
    "tar cf x.tar ../../",
    "cat ~/.old*/token",
    "cat ~/.[o]ldhand/token",
    "cat ~/*",
    "cd ~ && cat .old*/token",
    "cd ../.. ; sqlite3 ./.o?dhand/mind.db",
    "oldhand approvals approve ap_1",
    "npx OLDHAND config set off true",
    "bash -c 'cat ~/.oldhand/token'",
    "echo $(cat ~/.oldhand/token)",
    "git --git-dir=/home/ada status",
    "echo x > /home/ada/.oldhand/SOUL.md",
    "cat /home/ada/.ＯＬＤhand/token",
  ])("is recognised: %s", (command) => expect(read(command).reachesHome).toBe("named"));

  it("is possible for every program whose text does not tell", () => {
    for (const command of ["npm test", "python -c 'x'", "cat $(printf x)", "make"])
      expect(read(command).reachesHome).toBe("unknown");
    expect(read("npm test -- src/a.test.ts").reachesHome).toBe("unknown");
  });

  it("is not taken from a path inside the workspace, even if the workspace contains the home", () => {
    expect(read("rm -rf ./dist", { workspace: "/home/ada", cwd: "/home/ada" }).reachesHome).toBe("unknown");
    expect(read("cat .oldhand/token", { workspace: "/home/ada", cwd: "/home/ada" }).reachesHome).toBe("named");
  });
});

describe("a command that contacts an address of this machine or its network", () => {
  it.each(["curl http://169.254.169.254/latest", "wget -qO- localhost:8080", "curl -s 10.0.0.7/x"])(
    "is recognised: %s",
    (command) => expect(read(command).contacts).toMatch(/^\S+, an address of this machine or its network$/),
  );

  it("is named for other addresses too", () => {
    expect(read("curl -s https://example.org/x").contacts).toBe("example.org");
    expect(read("npm test").contacts).toBeUndefined();
  });
});

describe("a command that names a file with secrets", () => {
  it.each([
    "cat .env",
    "ls && cat config/.env",
    "git show HEAD:.env",
    "sh -c 'cat .env'",
    "cat < .env",
    "node --env-file=.env a.js",
  ])("is recognised: %s", (command) => expect(read(command).secret).toMatch(/\.env$/));

  it.each(["grep -rn PASS .", "rg secrets src", "git grep -n password", "sed -n /token/p a.txt"])(
    "is not one that looks for such a word: %s",
    (command) => expect(read(command).secret).toBeUndefined(),
  );

  it.each(["grep -n x .env", "grep -e x .env", "grep -nf .env a.txt", "grep x < .env", "rg x -- secrets/a"])(
    "is one that looks into such a file: %s",
    (command) => expect(read(command).secret).toBeDefined(),
  );

  it("is not one that names a file like it", () => {
    expect(read("cat src/env.ts && npm test").secret).toBeUndefined();
  });
});
