import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeServiceUnit, type ServiceSituation } from "./startup-unit.ts";

const unix: ServiceSituation = {
  platform: "linux",
  userHome: "/home/ada",
  userId: 501,
  node: "/opt/node 20/bin/node",
  program: "/opt/old hand/dist/oldhand.cjs",
  home: '/home/ada/50% of "mind" & $more',
  configHome: undefined,
  searchPath: "/opt/node 20/bin:/usr/bin:/bin",
  machine: undefined,
};
const windows: ServiceSituation = {
  ...unix,
  platform: "win32",
  userHome: "C:\\Users\\Ada",
  node: "C:\\Program Files\\nodejs\\node.exe",
  program: "C:\\Users\\Ada\\AppData\\Roaming\\npm\\node_modules\\oldhand\\dist\\oldhand.cjs",
  home: "C:\\Users\\Ada\\.oldhand",
  searchPath: "C:\\Windows",
};

function golden(name: string): string {
  return readFileSync(new URL(`golden/${name}`, import.meta.url), "utf8");
}

describe("the service that runs jobs", () => {
  it.each([
    ["linux", unix, "systemd-unit.txt", "/home/ada/.config/systemd/user/oldhand.service"],
    [
      "macOS",
      { ...unix, platform: "darwin" },
      "launchd-plist.txt",
      "/home/ada/Library/LaunchAgents/dev.oldhand.run.plist",
    ],
    ["Windows", windows, "windows-task.txt", "C:\\Users\\Ada\\.oldhand\\oldhand-run.xml"],
  ] as const)("of %s is this file", (_name, situation, file, path) => {
    const unit = makeServiceUnit(situation);
    expect(unit?.path).toBe(path);
    expect(unit?.text).toBe(golden(file));
    for (const mark of unit?.marks ?? []) expect(unit?.text).toContain(mark);
  });

  it("has the name of the machine, if that is set in the environment", () => {
    const named = { ...unix, machine: "ada-laptop" };
    expect(makeServiceUnit(named)?.text).toContain('\nEnvironment="OLDHAND_MACHINE=ada-laptop"\n');
    expect(makeServiceUnit({ ...named, platform: "darwin" })?.text).toContain(
      "<key>OLDHAND_MACHINE</key>\n    <string>ada-laptop</string>\n",
    );
  });

  it("is in the folder that the user chose for settings", () => {
    expect(makeServiceUnit({ ...unix, configHome: "/cfg" })?.path).toBe("/cfg/systemd/user/oldhand.service");
  });

  it("is unknown on other systems", () => {
    expect(makeServiceUnit({ ...unix, platform: "freebsd" })).toBeNull();
  });
});
