import { describe, expect, it } from "vitest";
import { stem } from "./stem.ts";
import { tokeniseQuery, tokenise } from "./tokenise.ts";

describe("words of a text", () => {
  it("are the same for all forms of a word", () => {
    for (const family of [
      ["connect", "connected", "connecting", "connection", "connections"],
      ["deploy", "deploying", "deployed", "deployment"],
      ["hike", "hiking", "hiked"],
      ["happy", "happiness"],
      ["migration", "migrations", "migrate"],
    ])
      expect(new Set(family.map(stem)).size, family.join(" ")).toBe(1);
    expect(stem("university")).not.toBe(stem("unit"));
  });

  it("take identifiers whole and apart, and paths apart", () => {
    expect(tokenise("getUserName")).toEqual(["getusername", "get", "user", "name"]);
    expect(tokenise("MAX_RETRY_COUNT")).toEqual(["max_retry_count", "max", "retri", "count"]);
    expect(tokenise("parseHTTPResponse2")).toEqual(["parsehttpresponse2", "pars", "http", "respons", "2"]);
    expect(tokenise("src/store/db.ts")).toEqual(["src", "store", "db", "ts"]);
  });

  it("know no accents, no case, and pairs of letters where a script has no spaces", () => {
    expect(tokenise("Café CAFE")).toEqual(["cafe", "cafe"]);
    expect(tokenise("東京都")).toEqual(["東京", "京都"]);
  });

  it("of a question are each once, without those that say nothing", () => {
    expect(tokeniseQuery("When did the build fail, and why did the build fail?")).toEqual(["build", "fail"]);
    expect(tokeniseQuery("who is it?")).toEqual(["who", "is", "it"]);
    expect(tokeniseQuery("?!")).toEqual([]);
  });
});
