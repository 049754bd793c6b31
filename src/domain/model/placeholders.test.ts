import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newPlaceholders } from "./placeholders.ts";

// Made here, so that no literal token stands in this file.
const letters = "q8Zk3vR7tYw2LmN5pXc9BdF4gHj6SsTa1Qe";
const token = `ghp_${letters.slice(0, 36)}A`.slice(0, 40);
const password = "tr0ub4dor-3x!Q";
const pem = `-----BEGIN PRIVATE ${"KEY"}-----\n${`${letters}${letters}\n`.repeat(4)}-----END PRIVATE ${"KEY"}-----`;

const inSession = (session = "s1", key = "k") => newPlaceholders({ session, key });

describe("placeholders for secrets", () => {
  it("stand for each secret in a text, and nothing of the secret is left", () => {
    const held = inSession();
    const text = `use ${token} for github, and password=${password}\n${pem}\n`;
    const hidden = held.hide(text);
    for (const secret of [token, password, letters]) expect(hidden).not.toContain(secret);
    expect(hidden).toMatch(/^use oldhand-secret-[0-9a-z]{10} for github/);
    expect(held.restore(hidden)).toBe(text);
  });

  it("are the same for the same secret in a session, also after a restart, and others in another session", () => {
    const hidden = inSession().hide(`Authorization: Bearer ${token}`);
    expect(inSession().hide(`Authorization: Bearer ${token}`)).toBe(hidden);
    expect(inSession("s2").hide(`Authorization: Bearer ${token}`)).not.toBe(hidden);
    expect(inSession("s1", "another key").hide(`Authorization: Bearer ${token}`)).not.toBe(hidden);
  });

  it("stand in JSON values, by the text and by the name of the member, and change no name", () => {
    const held = inSession();
    const input = { command: `curl -H 'x-api-key: ${token}'`, password, nested: [{ note: "nothing" }], n: 3 };
    const hidden = held.hide(input);
    expect(JSON.stringify(hidden)).not.toContain(token);
    expect(JSON.stringify(hidden)).not.toContain(password);
    expect(Object.keys(hidden)).toEqual(Object.keys(input));
    expect(hidden.nested).toEqual(input.nested);
    expect(held.restore(hidden)).toEqual(input);
  });

  it("hide a secret wherever it stands, once one text gave it away", () => {
    const held = inSession();
    const [early, late] = held.hide([`it printed ${password} twice`, `password=${password}`]);
    expect(early).not.toContain(password);
    expect(late).not.toContain(password);
  });

  it("come back whole from a stream that is cut anywhere", () => {
    const held = inSession();
    const text = held.hide(`first ${token}, then "password": "${password}", oldhand-sec and oldhand-secret-unknown!`);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (sizes) => {
        const pieces = held.restorePieces();
        let whole = "";
        for (let at = 0, n = 0; at < text.length; n++) {
          const size = sizes[n % sizes.length] ?? 1;
          whole += pieces.push(text.slice(at, at + size));
          at += size;
        }
        expect(whole + pieces.end()).toBe(held.restore(text));
      }),
    );
  });

  it("come back escaped into a stream of JSON", () => {
    const held = inSession();
    const hidden = JSON.stringify({ body: held.hide(pem) });
    const pieces = held.restorePieces({ json: true });
    expect(JSON.parse([...hidden].map((one) => pieces.push(one)).join("") + pieces.end())).toEqual({ body: pem });
  });

  it("are hidden no second time, whatever stands around them", () => {
    const held = inSession();
    const once = held.hide(`password=${password} token: ${token} https://user:${password}@db.internal/x`);
    expect(held.hide(once)).toBe(once);
    expect(held.restore(held.hide(`"api_key": "${once.slice(9, 34)}"`))).toBe(`"api_key": "${password}"`);
  });

  it("leave a placeholder that they never gave out as it is", () => {
    const held = inSession();
    held.hide(`password=${password}`);
    expect(held.restore("oldhand-secret-0000000000")).toBe("oldhand-secret-0000000000");
  });

  it("give back any text that was hidden", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(token, `password=${password}`, `token: ${token}`, "oldhand-secret-", pem),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (parts) => {
        const held = inSession();
        const text = parts.join(" ");
        expect(held.restore(held.hide(text))).toBe(text);
      }),
    );
  });

  it("hides a secret in a text that was clean before it was known to be one", () => {
    const placeholders = newPlaceholders({ session: "s1", key: "k" });
    const earlier = { text: "the word is quillworth77x, as agreed" };
    expect(placeholders.hide(earlier)).toEqual(earlier);
    placeholders.hide({ password: "quillworth77x" });
    expect(JSON.stringify(placeholders.hide(earlier))).not.toContain("quillworth77x");
    // The same text under another name is judged anew.
    expect(placeholders.hide({ note: "Zx9#kL2$vQ8!mN4" })).toEqual({ note: "Zx9#kL2$vQ8!mN4" });
    expect(JSON.stringify(placeholders.hide({ password: "Zx9#kL2$vQ8!mN4" }))).not.toContain("Zx9#kL2");
  });
});
