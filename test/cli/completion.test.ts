import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanEnv, exec, newPlace, type Place } from "../program.ts";

let place: Place;
beforeAll(() => {
  place = newPlace();
});
afterAll(() => place.remove());

const has = (shell: string) => {
  try {
    execFileSync(shell, ["-c", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

describe("completion for bash", () => {
  /** What Tab offers after these words; the last one is incomplete. */
  async function offered(...words: string[]): Promise<string[]> {
    const script = join(place.dir, "completion.bash");
    writeFileSync(script, (await place.run(["completion", "bash"])).stdout);
    const list = words.map((word) => `"${word}"`).join(" ");
    const ran = await exec(
      "bash",
      [
        "--norc",
        "-c",
        `source "${script}"; complete -p oldhand >/dev/null || exit 9
         COMP_WORDS=(oldhand ${list}); COMP_CWORD=${words.length}; _oldhand; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      { env: cleanEnv(place.user) },
    );
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    return ran.stdout.split("\n").filter(Boolean);
  }

  it("offers commands, then verbs, then flags", async () => {
    expect(await offered("st")).toEqual(["start", "stats", "status"]);
    expect(await offered("")).toEqual(expect.arrayContaining(["rules", "sessions", "hook", "serve", "completion"]));
    expect(await offered("rules", "re")).toEqual(["reject", "retire"]);
    expect(await offered("rules", "edit", "--l")).toEqual(["--level"]);
    expect(await offered("status", "--h")).toEqual(["--help", "--home"]);
    expect(await offered("serve", "--p")).toEqual(["--port"]);
    expect(await offered("sessions", "list", "--f")).toEqual(["--failing"]);
  });

  it("offers the flags of a bare noun's list", async () => {
    expect(await offered("rules", "--st")).toEqual(["--status"]);
  });
});

describe("completion for other shells", () => {
  it.each(["zsh", "fish"])("is a script that %s can read", async (shell) => {
    const ran = await place.run(["completion", shell]);
    expect(ran.code).toBe(0);
    for (const word of ["rules", "approve", "--level"]) expect(ran.stdout).toContain(word);
    // Special characters of the shell in the words would change what the script does.
    expect(ran.stdout).not.toMatch(/undefined|\[object/);
  });

  it.skipIf(!has("zsh"))("parses in zsh (skipped where zsh is not installed)", async () => {
    const { stdout } = await place.run(["completion", "zsh"]);
    const ran = await exec("zsh", ["-n"], { env: cleanEnv(place.user), stdin: stdout });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  });

  it.skipIf(!has("fish"))("parses in fish (skipped where fish is not installed)", async () => {
    const { stdout } = await place.run(["completion", "fish"]);
    const ran = await exec("fish", ["--no-execute"], { env: cleanEnv(place.user), stdin: stdout });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  });
});
