import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, wordsOnly } from "../program.ts";

/** With a systemctl of our own, which writes down how it was called. */
describe.skipIf(process.platform !== "linux")("oldhand run --install", () => {
  let place: Place;
  let bin: string;
  beforeEach(() => {
    place = newPlace(wordsOnly);
    bin = join(place.dir, "bin");
    mkdirSync(bin);
  });
  afterEach(() => place.remove());

  const fakeSystemctl = (end: string) => {
    writeFileSync(join(bin, "systemctl"), `#!/bin/sh\necho "$@" >> "${join(place.dir, "calls.txt")}"\n${end}\n`);
    chmodSync(join(bin, "systemctl"), 0o755);
  };
  const run = (...flags: string[]) =>
    place.run(["run", ...flags], { env: { PATH: `${bin}:/usr/bin:/bin` }, alone: true });
  const unit = () => join(place.user, ".config", "systemd", "user", "oldhand.service");
  const calls = () => readFileSync(join(place.dir, "calls.txt"), "utf8").trim().split("\n");

  it("writes the unit and starts it; --uninstall stops it and removes the file", async () => {
    fakeSystemctl("exit 0");
    const installed = await run("--install");
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.stdout).toContain(`wrote ${unit()}\n`);
    expect(readFileSync(unit(), "utf8")).toContain(`"run" "--home" "${place.home}"`);
    expect((await run("--install")).stdout).toContain("is in place already");
    const removed = await run("--uninstall");
    expect(removed).toMatchObject({ code: 0, stdout: `removed ${unit()}\n` });
    expect(existsSync(unit())).toBe(false);
    expect(readdirSync(join(place.user, ".config", "systemd", "user"))).toEqual([]);
    const start = ["--user daemon-reload", "--user enable --now oldhand.service"];
    expect(calls()).toEqual([...start, ...start, "--user disable --now oldhand.service", "--user daemon-reload"]);
    expect((await run("--uninstall")).stdout).toBe(`there is no ${unit()}\n`);
  });

  it("says what is left to do if the service manager does not answer", async () => {
    fakeSystemctl("echo 'Failed to connect to bus' >&2; exit 1");
    const installed = await run("--install");
    expect(installed.code).toBe(1);
    expect(installed.stdout).toContain("did not answer (Failed to connect to bus)");
    expect(installed.stdout).toContain("  systemctl --user enable --now oldhand.service\n");
    expect(existsSync(unit())).toBe(true);
    expect((await run("--uninstall")).stdout).toContain(`removed ${unit()}`);
    expect(existsSync(unit())).toBe(false);
  });

  it("has done its part if there is no service manager: the file is written, and removed", async () => {
    const alone = (...flags: string[]) =>
      place.run(["run", ...flags], { env: { PATH: join(place.dir, "nothing") }, alone: true });
    const installed = await alone("--install");
    expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining("systemctl is not there") });
    expect(existsSync(unit())).toBe(true);
    expect((await alone("--uninstall")).code).toBe(0);
    expect(existsSync(unit())).toBe(false);
  });

  it("shows what --uninstall would do", async () => {
    fakeSystemctl("exit 0");
    await run("--install");
    const shown = await run("--uninstall", "--dry-run");
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain(`It would remove ${unit()}, and run:`);
    expect(shown.stdout).toContain("  systemctl --user disable --now oldhand.service\n");
    expect(existsSync(unit())).toBe(true);
    await run("--uninstall");
    expect((await run("--uninstall", "--dry-run")).stdout).toContain(`There is no ${unit()}. Nothing was changed.`);
  });

  it("leaves a file alone that is not its own", async () => {
    fakeSystemctl("exit 0");
    mkdirSync(join(unit(), ".."), { recursive: true });
    writeFileSync(unit(), "[Unit]\nDescription=mine\n");
    for (const flag of ["--install", "--uninstall"]) {
      const refused = await run(flag);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("is not the service of this mind");
    }
    expect(readFileSync(unit(), "utf8")).toBe("[Unit]\nDescription=mine\n");
  });

  it("shows what it would do, and refuses to install and remove at once", async () => {
    fakeSystemctl("exit 0");
    const shown = await run("--install", "--dry-run");
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain("ExecStart=");
    expect(shown.stdout).toContain("  systemctl --user enable --now oldhand.service\n");
    expect(shown.stdout).toContain("Nothing was changed.");
    expect((await run("--install", "--uninstall")).code).toBe(2);
    expect((await run("--dry-run")).code).toBe(2);
    expect(existsSync(unit())).toBe(false);
    expect(existsSync(join(place.dir, "calls.txt"))).toBe(false);
  });

  it("gives the service the name of the machine that is in the environment", async () => {
    const shown = await place.run(["run", "--install", "--dry-run"], {
      env: { PATH: `${bin}:/usr/bin:/bin`, OLDHAND_MACHINE: "ada-laptop" },
      alone: true,
    });
    expect(shown.stdout).toContain('Environment="OLDHAND_MACHINE=ada-laptop"');
  });

  it("refuses an address that is only in the environment, which a service does not have", async () => {
    const refused = await place.run(["run", "--install"], { env: { OLDHAND_DATABASE: "other.db" }, alone: true });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("oldhand config set database");
  });
});
