import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { decideToolCall } from "../../src/converse/approvals/decide-call.ts";
import { readTool } from "../../src/converse/tools/files/read.ts";
import { writeTool } from "../../src/converse/tools/files/write.ts";
import { homeSecrets, isHostSettingPath } from "../../src/domain/approval/protected-paths.ts";
import type { ChatMode } from "../../src/domain/settings/chat-mode.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { hosts } from "../../src/observe/hosts/list.ts";
import { stores } from "../stores.ts";
import { hear, withChat } from "./lab/chat-lab.ts";
import { newToolPlace } from "./tool-context.ts";

afterEach(() => vi.unstubAllEnvs());

describe("a text in every prompt", () => {
  it("is the rules file of every host", async () => {
    const shop = { workspace: "/home/ada/shop", userHome: "/home/ada" };
    for (const host of hosts)
      for (const { path } of (await host.setup()).rulesFiles?.(shop.workspace) ?? [])
        // Aider reads what its settings name.
        if (host.name !== "aider") expect(isHostSettingPath(path, shop), `${host.name} ${path}`).toBe(true);
  });
});

describe("the user's home as workspace", () => {
  it("asks before a file is written that other programs run, in the mode edit too, and refuses it unattended", async () => {
    const place = await newToolPlace();
    vi.stubEnv("HOME", place.workspace);
    vi.stubEnv("PATH", `${join(place.workspace, "tools/mine")}:${process.env["PATH"]}`);
    mkdirSync(join(place.workspace, "shop", ".git"), { recursive: true });
    const ctx = { db: place.db, config: place.config, clock: systemClock };
    const decide = async (file_path: string, mode: "edit" | "unattended") => {
      const input = { file_path, content: "x" };
      return decideToolCall(ctx, { tool: writeTool, input, tools: place.tools({ mode }), hasPerson: mode === "edit" });
    };
    for (const name of [
      ...[".bashrc", ".profile", ".zshrc", ".config/autostart/x.desktop", ".config/systemd/user/x.service"],
      ...[
        "tools/mine/ls",
        "bin/ls",
        ".cargo/bin/cargo",
        "go/bin/x",
        ".pyenv/shims/python",
        ".bun/bin/bun",
        ".deno/bin/x",
      ],
      ...[".npm-global/bin/npm", ".nvm/nvm.sh", ".cargo/config.toml", ".gradle/init.gradle", ".gradle/init.d/x.gradle"],
      ...[".local/lib/python3.12/site-packages/x.pth", "venv/lib/python3.12/site-packages/x.pth", "a/usercustomize.py"],
      ...[".config/i3/config", ".config/sway/config", ".config/hypr/hyprland.conf", ".config/emacs/init.el"],
      ...[".config/Code/User/settings.json", ".config/Code/User/tasks.json", ".local/share/nautilus/scripts/x"],
      ...[".unknown", ".unknown/folder/file"],
      ...["shop/.git/hooks/pre-commit", "shop/.husky/pre-commit", ".config/git/config", "shop/GEMINI.md"],
    ]) {
      expect((await decide(name, "edit")).kind, name).toBe("ask");
      expect((await decide(name, "unattended")).kind, name).toBe("refuse");
    }
    for (const name of ["shop/a.ts", "shop/.unknown", "tools/other/ls"])
      expect((await decide(name, "edit")).kind, name).toBe("run");
    await place.remove();
  });

  it("gives the file tools nothing of what the sandbox hides: they ask, and refuse it unattended and read-only", async () => {
    const place = await newToolPlace();
    vi.stubEnv("HOME", place.workspace);
    const ctx = { db: place.db, config: place.config, clock: systemClock };
    const decide = async (file_path: string, mode: ChatMode) => {
      const tools = place.tools({ mode });
      return (await decideToolCall(ctx, { tool: readTool, input: { file_path }, tools, hasPerson: true })).kind;
    };
    for (const name of [
      ...homeSecrets.map((one) => `${one}/x`),
      ...[".docker/config.json", ".bash_history", ".zsh_history", ".claude.json", ".mozilla/firefox/p/logins.json"],
      ...[".config/google-chrome/Default/Cookies", ".config/chromium/Default/Cookies", "shop/.docker/config.json"],
    ]) {
      mkdirSync(dirname(join(place.workspace, name)), { recursive: true });
      for (const mode of ["ask", "edit"] as const) expect(await decide(name, mode), name).toBe("ask");
      for (const mode of ["unattended", "read-only"] as const) expect(await decide(name, mode), name).toBe("refuse");
    }
    expect(await decide("shop/.docker/Dockerfile", "read-only")).not.toBe("refuse");
    await place.remove();
  });

  it.each(stores.slice(0, 1))("is named once, in the first turn", (store) =>
    withChat(store, { script: [{ text: "Hi." }, { text: "Again." }] }, async ({ open, cwd }) => {
      vi.stubEnv("HOME", cwd);
      const session = await open();
      const noticesOf = async (text: string) =>
        (await hear(session.send(text))).flatMap((event) => (event.kind === "notice" ? [event.text] : []));
      expect(await noticesOf("hello")).toEqual([
        "The workspace is your home folder: the agent works with all files there. To give it less, start oldhand in the folder of a project.",
      ]);
      expect(await noticesOf("hello again")).toEqual([]);
      await session.close();
    }),
  );
});
