import { describe, expect, it } from "vitest";
import { normaliseRemote, parseRemoteName } from "./remote-name.ts";

describe("the name of a repository", () => {
  it.each([
    ["git@github.com:acme/shop.git", "github.com/acme/shop"],
    ["https://github.com/acme/shop", "github.com/acme/shop"],
    ["https://ada:token@GitHub.com/acme/shop.git/", "github.com/acme/shop"],
    ["ssh://git@github.com:22/acme/shop.git", "github.com/acme/shop"],
    ["gitlab.example.com:group/sub/shop.git", "gitlab.example.com/group/sub/shop"],
    ["/srv/git/shop.git", null],
    ["file:///srv/git/shop.git", null],
    ["../shop", null],
    ["C:\\git\\shop", null],
  ])("%s is %s", (url, name) => {
    expect(normaliseRemote(url)).toBe(name);
  });

  it("is that of origin, or of the only remote", () => {
    const remote = (name: string, url: string) => `[remote "${name}"]\n\turl = ${url}\n\tfetch = +refs/*:refs/*\n`;
    const core = "[core]\n\tbare = false\n";
    expect(parseRemoteName(core)).toBeNull();
    expect(parseRemoteName(core + remote("up", "git@a.org:x/y"))).toBe("a.org/x/y");
    expect(parseRemoteName(remote("up", "git@a.org:x/y") + remote("origin", "git@a.org:me/y"))).toBe("a.org/me/y");
    expect(parseRemoteName(remote("up", "git@a.org:x/y") + remote("mine", "git@a.org:me/y"))).toBeNull();
  });
});
