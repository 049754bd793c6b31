import { describe, expect, it } from "vitest";
import { parsePostgresUrl } from "../../src/store/postgres/url.ts";

describe("a PostgreSQL address", () => {
  it("is told without its user and password", () => {
    const where = parsePostgresUrl("postgres://me:secret@db.example.com:5432/mind?schema=oldhand&sslmode=require");
    expect(where.place).toBe("postgres://db.example.com:5432/mind?schema=oldhand");
    expect(where.schema).toBe("oldhand");
    expect(where.connection).toBe("postgres://me:secret@db.example.com:5432/mind?sslmode=verify-full");
  });

  it("is a pooler's when it says so, or by its port", () => {
    expect(parsePostgresUrl("postgres://h/d?pooler=transaction").throughPooler).toBe(true);
    expect(parsePostgresUrl("postgres://h:6432/d").throughPooler).toBe(true);
    expect(parsePostgresUrl("postgres://h:6432/d?pooler=none").throughPooler).toBe(false);
    expect(parsePostgresUrl("postgres://h:5432/d").throughPooler).toBe(false);
  });

  it.each(["not a url", "postgres://h/d?schema=Robert');drop", "postgres://h/d?schema=a&pooler=transaction"])(
    "is refused with a hint: %s",
    (text) => {
      expect(() => parsePostgresUrl(text)).toThrow(
        expect.objectContaining({ code: "config", hint: expect.any(String) }),
      );
    },
  );
});
