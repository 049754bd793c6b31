import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, wordsOnly } from "../program.ts";

/** A variable TZ that is no time zone: the program then has none of its own. */
describe("a machine whose time zone is not one", () => {
  let place: Place;
  beforeEach(() => {
    place = newPlace({ ...wordsOnly, TZ: "Nonsense/Zone" });
  });
  afterEach(() => place.remove());
  const fault = '"Nonsense/Zone" is not a time zone, such as Europe/Berlin or UTC';
  const daily = ["--cron", "0 12 * * *", "--command", "true"];

  it("refuses a job without a zone, with the words for a wrong --zone", async () => {
    const refused = await place.run(["job", "add", "tests", ...daily]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(fault) });
    expect((await place.run(["job", "add", "tests", ...daily, "--zone", "UTC"])).code).toBe(0);
  });

  it("has quiet hours in UTC, and doctor says why", async () => {
    await place.run(["config", "set", "work.quietHours", "22:00-07:00"]);
    await place.run(["job", "add", "tests", ...daily, "--zone", "UTC"]);
    const { stdout } = await place.run(["job", "list"]);
    expect(stdout).toContain("T12:00:00");
    expect(stdout).toContain("Quiet hours of this home: 22:00-07:00, in the time zone of each worker (here UTC)");
    const { findings } = await place.json<{ findings: { level: string; what: string }[] }>(["doctor"], { code: 1 });
    expect(findings).toContainEqual(expect.objectContaining({ level: "problem", what: `TZ: ${fault}; UTC is used` }));
  });

  it("has a worker that says that it uses UTC", async () => {
    const worker = place.start(["run"]);
    await worker.line(/TZ: "Nonsense\/Zone" is not a time zone, such as Europe\/Berlin or UTC; UTC is used/);
    worker.child.kill("SIGTERM");
    expect((await worker.ended).code).toBe(0);
  });
});

describe("a worker whose database is down when it starts", () => {
  it("says so once and goes on trying, until it is stopped", async () => {
    const place = newPlace({ ...wordsOnly, OLDHAND_DATABASE: "postgres://ada:x@127.0.0.1:1/none" });
    const worker = place.start(["run"]);
    await worker.line(/does not answer; it is tried again/);
    worker.child.kill("SIGTERM");
    const { code, stderr } = await worker.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    place.remove();
  });
});
