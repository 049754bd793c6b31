import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonStep, spliceJson } from "./json-splice.ts";

describe("strings of a JSON text", () => {
  it("are replaced at their paths, and nothing else changes", () => {
    const text = '{ "a/b" : ["x", {"c":"say \\"hi\\"", "n": 9223372036854775807}, 1.50],\n "d":"x" }';
    const changes = new Map([
      ["/a~1b/1/c", 'a "new" one'],
      ["/d", "y"],
      ["/missing", "z"],
    ]);
    expect(spliceJson(text, changes)).toBe(
      '{ "a/b" : ["x", {"c":"a \\"new\\" one", "n": 9223372036854775807}, 1.50],\n "d":"y" }',
    );
  });

  it("are found wherever they are", () => {
    const strings = (value: unknown, path: string): [string, string][] => {
      if (typeof value === "string") return [[path, value]];
      if (typeof value !== "object" || value === null) return [];
      return Object.entries(value).flatMap(([key, inner]) => strings(inner, path + jsonStep(key)));
    };
    const change = (value: unknown): unknown => {
      if (typeof value === "string") return `<${value}>`;
      if (Array.isArray(value)) return value.map(change);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
    };
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = JSON.parse(text) as unknown;
        const changes = new Map(strings(value, "").map(([path, inner]) => [path, `<${inner}>`]));
        expect(JSON.parse(spliceJson(text, changes))).toEqual(change(value));
      }),
    );
  });
});
