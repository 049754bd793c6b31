import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FORMS } from "../../bench/redaction-forms.ts";
import { redact, redactValue } from "../../src/domain/redact/redact.ts";
import { connect } from "../../src/store/sqlite/engine.ts";
import { newPlace, payload, type Place, describeRun } from "../program.ts";

let place: Place;
beforeAll(() => {
  place = newPlace();
});
afterAll(() => place.remove());

const secret = ["q7Rk2", "mZp9X", "w4Tb6", "Ls1Vd"].join("");
const forms = FORMS.map((form) => form.text.replaceAll("@@", secret));
const file = join(process.env["OLDHAND_DATA"] ?? "../shared/data", "secrets_dev.json.gz");
const samples = existsSync(file)
  ? Object.values(JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as Record<string, { text: string }[]>)
      .flat()
      .map((one) => one.text)
  : [];
const texts = [...forms, ...samples];

describe("the built program finds the secrets that its source finds", () => {
  it("has forms to compare by", () => {
    expect(forms.length).toBeGreaterThan(50);
    expect(forms.filter((text) => redact(text) !== text).length).toBeGreaterThan(forms.length * 0.9);
  });

  it("as a command", async () => {
    const whole = texts.join("\n\n\n");
    const ran = await place.run(["redact"], { stdin: whole });
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).toBe(redact(whole));
  });

  it("as a hook", async () => {
    const chunks = Array.from({ length: Math.ceil(texts.length / 100) }, (_, at) =>
      texts.slice(at * 100, at * 100 + 100),
    );
    for (const [at, lines] of chunks.entries()) {
      const over = { tool_name: "mcp__notes__keep", tool_input: { lines }, tool_use_id: `t${at}` };
      const ran = await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse", over) });
      expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, "", ""]);
    }
    const db = connect(join(place.home, "mind.db"));
    const stored = db.prepare("select input from events where kind = 'call' order by id").all() as { input: string }[];
    db.close();
    expect(stored.flatMap((row) => (JSON.parse(row.input) as { lines: string[] }).lines)).toEqual(redactValue(texts));
  });
});
