import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { defaultPolicy, type Policy } from "../policy.ts";
import { checkSettingValue, parseTypedValue } from "./check.ts";
import { settings } from "./declared.ts";
import { explainProblems } from "./explain.ts";
import { groupDefaults } from "./group-defaults.ts";
import {
  flagSetting,
  listSetting,
  numberSetting,
  choiceSetting,
  secretSetting,
  tableSetting,
  textSetting,
  type ValuesOf,
} from "./kinds.ts";
import { listSettingRows, findSetting, setValueAt } from "./paths.ts";
import { resolveSettings } from "./read.ts";
import { retired } from "./retired.ts";
import { schemaOf } from "./schema.ts";

/** One setting of every kind. */
const declared = {
  name: textSetting("nobody", "who it is", { pattern: "^[a-z]+$", asksFor: "small letters", env: "MADE_NAME" }),
  key: secretSetting("MADE_KEY", "its key"),
  folders: listSetting("where", "made add DIR"),
  colour: choiceSetting(["red", "green"], "red", "which one"),
  stop: flagSetting(false, "stops", { unclear: true }),
  limits: { most: numberSetting(3, 1, 10, "how many"), isLoud: flagSetting(true, "whether it is loud") },
  models: {
    providers: tableSetting(
      {
        url: textSetting("", "where it is"),
        kind: choiceSetting(["chat", "embed"], "chat", "what it does"),
        most: numberSetting(5, 0, 9, "how many at once"),
        isOn: flagSetting(true, "whether it is used"),
        key: secretSetting("MADE_PROVIDER_KEY", "its key"),
      },
      "servers of models",
    ),
  },
} as const;

type Made = ValuesOf<typeof declared>;
const read = (file: Record<string, unknown>, env: Record<string, string> = {}) =>
  resolveSettings(declared, { file, env });
const paths = (file: Record<string, unknown>) => read(file).problems.map(({ path, wrong }) => `${path} ${wrong}`);
const words = (file: Record<string, unknown>, env: Record<string, string> = {}) =>
  explainProblems(declared, ["limits.gone", "old.a", "old.b.c"], read(file, env).problems).map(
    ({ path, variable, why }) => `${variable ?? path} ${why}`,
  );

const defaults = {
  name: "nobody",
  key: null,
  folders: [],
  colour: "red",
  stop: false,
  limits: { most: 3, isLoud: true },
  models: { providers: {} },
};

describe("settings of every kind", () => {
  it("have their defaults where nothing is said, and a type each", () => {
    const { values, problems } = read({ $schema: "config.schema.json" });
    expect(values).toEqual(defaults);
    expect(problems).toEqual([]);
    expectTypeOf<Made["colour"]>().toEqualTypeOf<"red" | "green">();
    expectTypeOf<Made["key"]>().toEqualTypeOf<string | null>();
    expectTypeOf<Made["folders"]>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Made["limits"]["most"]>().toEqualTypeOf<number>();
    expectTypeOf<Made["models"]["providers"][string]["kind"]>().toEqualTypeOf<"chat" | "embed">();
    expectTypeOf<Policy["distil"]["holdOut"]>().toEqualTypeOf<boolean>();
    expectTypeOf<Policy["distil"]["minCount"]>().toEqualTypeOf<number>();
  });

  it("are taken from the file", () => {
    const file = {
      name: "ada",
      folders: ["/a", "/b"],
      colour: "green",
      stop: true,
      limits: { most: 10, isLoud: false },
      models: { providers: { here: { url: "http://127.0.0.1:1", kind: "embed", most: 0, isOn: false }, there: {} } },
    };
    const { values, problems } = read(file);
    expect(problems).toEqual([]);
    expect(values).toMatchObject(file);
    expect(values.models.providers["there"]).toEqual({ url: "", kind: "chat", most: 5, isOn: true, key: null });
  });

  it("a wrong one takes its default, and the rest holds", () => {
    const { values } = read({
      name: "Ada",
      colour: "blue",
      limits: { most: 11, isLoud: false, typo: 1 },
      folders: ["/a", 5],
    });
    expect(values).toEqual({ ...defaults, limits: { most: 3, isLoud: false }, folders: ["/a"] });
  });

  it.each<[Record<string, unknown>, readonly string[]]>([
    [{ name: 5 }, ["name value"]],
    [{ name: "ADA" }, ["name value"]],
    [{ colour: "blue" }, ["colour value"]],
    [{ limits: { most: 0 } }, ["limits.most value"]],
    [{ limits: { most: "3" } }, ["limits.most value"]],
    [{ limits: { most: null } }, ["limits.most value"]],
    [{ limits: { isLoud: 2 } }, ["limits.isLoud value"]],
    [{ limits: { isLoud: "true" } }, ["limits.isLoud value"]],
    [{ limits: { most: 4, other: 1 } }, ["limits.other name"]],
    [{ limits: 5 }, ["limits value"]],
    [{ folders: "/a" }, ["folders value"]],
    [{ key: "k" }, ["key secret"]],
    [{ hello: { a: 1 } }, ["hello name"]],
    [{ models: { providers: [] } }, ["models.providers value"]],
    [{ models: { providers: { here: 5 } } }, ["models.providers.here value"]],
    [
      { models: { providers: { here: { most: 99, x: 1, key: "k" } } } },
      ["models.providers.here.most value", "models.providers.here.key secret", "models.providers.here.x name"],
    ],
    [
      JSON.parse('{"__proto__":{"polluted":1},"constructor":1,"limits":{"__proto__":1}}') as Record<string, unknown>,
      ["limits.__proto__ name", "__proto__ name", "constructor name"],
    ],
  ])("%j is told by its name", (file, problems) => {
    expect(paths(file)).toEqual(problems);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("flags of version 0.1.0 were numbers: 1 is true, 0 is false", () => {
    expect(read({ stop: 1, limits: { isLoud: 0 } })).toMatchObject({
      values: { stop: true, limits: { isLoud: false } },
      problems: [],
    });
  });

  it("a flag may say what is meant where nobody can tell", () => {
    expect(read({ stop: "yes" }).values.stop).toBe(true);
    expect(words({ stop: "yes" })).toEqual(["stop must be true or false; true is used"]);
  });

  it("a list keeps what is a text in it", () => {
    expect(read({ folders: "/a" }).values.folders).toEqual(["/a"]);
    expect(read({ folders: { a: 1 } }).values.folders).toEqual([]);
  });

  it("secrets come from the environment alone, those of a table by the name of the entry", () => {
    const file = { key: "from the file", models: { providers: { "local-7b": { key: "too" }, other: {} } } };
    expect(read(file).values).toMatchObject({ key: null, models: { providers: { "local-7b": { key: null } } } });
    const env = { MADE_KEY: "k", MADE_PROVIDER_KEY_LOCAL_7B: "l", MADE_PROVIDER_KEY: "nobody's" };
    const { values, problems } = read(file, env);
    expect(values.key).toBe("k");
    expect(values.models.providers).toMatchObject({ "local-7b": { key: "l" }, other: { key: null } });
    expect(JSON.stringify(problems)).not.toMatch(/from the file|too/);
  });

  it("the environment goes before the file, where it fits", () => {
    expect(read({ name: "ada" }, { MADE_NAME: "bob" }).values.name).toBe("bob");
    expect(read({ name: "ada" }, { MADE_NAME: "" }).values.name).toBe("ada");
    expect(read({ name: "ada" }, { MADE_NAME: "B" }).values.name).toBe("ada");
    expect(words({}, { MADE_NAME: "B" })).toEqual(["MADE_NAME must be small letters; it is ignored"]);
  });

  it("what is ignored is told in words, retired ones of a group that is gone one by one", () => {
    expect(
      words({
        limits: { most: 0, gone: 1, typo: 1 },
        old: { a: 1, b: { c: 2 }, z: 3 },
        name: "SECRET://pw@x",
        models: 5,
      }),
    ).toEqual([
      "name must be small letters; nobody is used",
      "limits.most must be a number from 1 to 10, not 0; 3 is used",
      "limits.gone is retired and no longer used",
      "limits.typo is not a setting; it is ignored",
      "models must be a group in braces; it is ignored",
      "old.a is retired and no longer used",
      "old.b.c is retired and no longer used",
      "old.z is not a setting; it is ignored",
    ]);
  });

  it("are found by their path, also in an entry of a table", () => {
    expect(findSetting(declared, "limits.most")).toBe(declared.limits.most);
    expect(findSetting(declared, "models.providers.here.most")).toBe(declared.models.providers.fields.most);
    for (const path of [
      "",
      ".",
      "limits",
      "limits.",
      "limits.most.x",
      "name.x",
      "models.providers..most",
      "models.providers.here",
      "__proto__",
      "limits.constructor",
    ])
      expect(findSetting(declared, path), path).toBeNull();
  });

  it("are listed with their values, a table entry by entry", () => {
    const { values } = read({ models: { providers: { here: { most: 7 } } } }, { MADE_KEY: "k" });
    const rows = listSettingRows(declared, values);
    expect(rows.map(({ path }) => path)).toContain("models.providers.here.most");
    expect(rows.find(({ path }) => path === "models.providers.here.most")?.value).toBe(7);
    expect(rows.every(({ setting }) => setting.summary !== "")).toBe(true);
  });

  it("are written into the file and out of it again, and leave the rest as it was", () => {
    const file = { strange: 1, limits: { most: 4 } };
    const more = setValueAt(file, ["models", "providers", "here", "most"], 2);
    expect(more).toEqual({ ...file, models: { providers: { here: { most: 2 } } } });
    expect(setValueAt(more, ["models", "providers", "here", "most"], undefined)).toEqual(file);
    expect(setValueAt(file, ["limits", "most"], undefined)).toEqual({ strange: 1 });
    expect(Object.keys(setValueAt({ a: 1, b: 2 }, ["a"], 3))).toEqual(["a", "b"]);
  });

  it("typed words become what the file would hold", () => {
    expect(parseTypedValue(declared.limits.most, "4")).toBe(4);
    expect(parseTypedValue(declared.limits.most, "")).toBeUndefined();
    expect(parseTypedValue(declared.limits.most, "99")).toBeUndefined();
    expect(parseTypedValue(declared.stop, " TRUE ")).toBe(true);
    expect(parseTypedValue(declared.stop, "0")).toBe(false);
    expect(parseTypedValue(declared.stop, "maybe")).toBeUndefined();
    expect(parseTypedValue(declared.colour, "green")).toBe("green");
    expect(parseTypedValue(declared.key, "k")).toBeUndefined();
  });

  it("have a schema, without the secrets", () => {
    const schema = schemaOf(declared) as { properties: Record<string, unknown> };
    expect(Object.keys(schema.properties)).toEqual([
      "$schema",
      "name",
      "folders",
      "colour",
      "stop",
      "limits",
      "models",
    ]);
    expect(schema.properties["colour"]).toEqual({ enum: ["red", "green"], default: "red", description: "which one" });
    expect(schema.properties["models"]).toMatchObject({
      properties: {
        providers: {
          type: "object",
          additionalProperties: {
            additionalProperties: false,
            properties: { most: { type: "number", minimum: 0, maximum: 9 } },
          },
        },
      },
    });
    expect(JSON.stringify(schema)).not.toContain("PROVIDER_KEY");
  });
});

describe("whatever a file holds", () => {
  it("every value fits its setting, and everything that does not is told", () => {
    const names = Object.keys(settings);
    const anyFile = fc.oneof(
      fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.jsonValue()),
      fc.dictionary(
        fc.constantFrom(...names),
        fc.dictionary(fc.constantFrom("minCount", "holdOut", "port", "x"), fc.jsonValue()),
      ),
    );
    fc.assert(
      fc.property(anyFile, (file) => {
        const { values, problems } = resolveSettings(settings, { file, env: {} });
        for (const { path, setting, value } of listSettingRows(settings, values))
          if (setting.kind !== "secret") expect(checkSettingValue(setting, value), path).toEqual(value);
        for (const { why } of explainProblems(settings, retired, problems)) expect(why).not.toBe("");
      }),
    );
  });

  it("reads the same with the groups' defaults at hand, whatever is in the file", () => {
    const files = [{}, { off: true }, { distil: { minCount: 7 } }, { recall: 3, observe: null }, { unknown: {} }];
    const envs = [{}, { OLDHAND_DATABASE: "other.db", OLDHAND_EMBEDDER_KEY: "k" }];
    for (const file of files)
      for (const env of envs)
        expect(resolveSettings(settings, { file, env }, groupDefaults)).toEqual(
          resolveSettings(settings, { file, env }),
        );
    // The hook's bundle contains them as JSON.
    expect(JSON.parse(JSON.stringify(groupDefaults))).toEqual(groupDefaults);
    expect(Object.keys(groupDefaults)).toEqual(expect.arrayContaining(["observe", "distil", "recall"]));
  });

  it("the defaults fit too", () => {
    for (const { path, setting, value } of listSettingRows(
      settings,
      resolveSettings(settings, { file: {}, env: {} }).values,
    ))
      if (setting.kind !== "secret") expect(checkSettingValue(setting, value), path).toEqual(value);
    expect(defaultPolicy.distil.minCount).toBe(3);
    expect(Object.keys(defaultPolicy)).not.toContain("database");
  });

  it.each([
    ["mind.db", true],
    ["C:\\minds\\mind.db", true],
    ["/var/lib/mind.db", true],
    ["postgres://u:p@h:5432/d", true],
    ["postgresql:///d?host=/tmp", true],
    ["mysql://h/d", false],
    ["file:///mind.db", false],
    [7, false],
  ])("a database may be %s: %s", (given, fits) => {
    expect(checkSettingValue(settings.database, given) !== undefined).toBe(fits);
  });

  it.each([
    ["minilm", true],
    ["none", true],
    ["http://127.0.0.1:11434/v1#nomic-embed-text", true],
    ["https://example.org#m", true],
    ["http://127.0.0.1:11434/v1", false],
    ["ftp://x#m", false],
    ["http://#m", false],
    ["openai", false],
  ])("an embedder may be %s: %s", (given, fits) => {
    expect(checkSettingValue(settings.embedder, given) !== undefined).toBe(fits);
  });
});
