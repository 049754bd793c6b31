import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStoreInHome } from "../../src/store/open.ts";
import type { FileSystemProbe } from "../../src/store/sqlite/refuse-network-file.ts";
import { newPlace, payload, type Place } from "../program.ts";

describe("a SQLite file", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "oldhand-network-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const on = (type: number | null, mounts = "", platform: NodeJS.Platform = "linux"): FileSystemProbe => ({
    platform,
    typeOf: () => type,
    mounts: () => mounts,
  });
  const open = async (fileSystems: FileSystemProbe, networkFile?: boolean) => {
    const store = await openStoreInHome(home, {
      ...{ database: join(home, "mind.db"), busyMs: 1_000, fileSystems, networkFile },
    });
    await store.close();
  };

  it.each([
    ["NFS", 0x6969],
    ["CIFS", 0xff534d42],
    ["CIFS", 0xff534d42 | 0],
    ["SMB", 0xfe534d42],
    ["9p", 0x01021997],
    ["Ceph", 0x00c36400],
  ])("on %s is refused, and not created", async (name, type) => {
    await expect(open(on(type))).rejects.toThrow(`is on a network file system (${name}), where SQLite loses data`);
    await expect(open(on(type))).rejects.toMatchObject({ hint: expect.stringContaining("PostgreSQL") });
    expect(existsSync(join(home, "mind.db"))).toBe(false);
  });

  const FUSE = 0x65735546;
  const mounted = (type: string) => `/dev/sda1 / ext4 rw 0 0\nwhat ${home.replaceAll(" ", "\\040")} ${type} rw 0 0\n`;

  it.each(["fuse.sshfs", "fuse.rclone", "virtiofs", "fuse"])("on FUSE is refused, if it is %s", async (type) => {
    await expect(open(on(FUSE, mounted(type)))).rejects.toThrow(`is on a network file system (${type})`);
  });

  it.each(["fuseblk", "fuse.gocryptfs"])("on FUSE is opened, if it is a local %s", async (type) => {
    await open(on(FUSE, mounted(type)));
  });

  it("on a local disk, or where nothing is known of it, is opened", async () => {
    await open(on(0xef53));
    await open(on(null));
    await open(on(0x6969, "", "darwin"));
  });

  it("on a network file system is opened for who insists", async () => {
    await open(on(0x6969), true);
  });
});

describe("the program, with its home on NFS", () => {
  let place: Place;
  let env: Record<string, string>;
  beforeEach(() => {
    place = newPlace();
    const fake = join(place.dir, "nfs.cjs");
    writeFileSync(fake, 'require("node:fs").statfsSync = () => ({ type: 0x6969 });');
    env = { NODE_OPTIONS: `--require ${fake}` };
  });
  afterEach(() => place.remove());

  it("refuses to open the mind and names PostgreSQL; its hooks stay silent", async () => {
    const ran = await place.run(["status"], { env, alone: true });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("is on a network file system (NFS), where SQLite loses data");
    expect(ran.stderr).toContain("oldhand init --database");
    const hook = await place.run(["hook", "claude-code"], { env, alone: true, stdin: payload("PostToolUse") });
    expect(hook).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(join(place.home, "mind.db"))).toBe(false);
  });

  it("opens it after `store.networkFile` is set", async () => {
    expect(await place.run(["config", "set", "store.networkFile", "true"], { env, alone: true })).toMatchObject({
      code: 0,
    });
    expect(await place.run(["status"], { env, alone: true })).toMatchObject({ code: 0 });
  });
});
