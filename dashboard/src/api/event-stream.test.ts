import { describe, expect, it } from "vitest";
import { makeEventStreamReader } from "./event-stream.ts";

describe("eventStreamReader", () => {
  it("gives a message once its blank line has come, however the text was cut", () => {
    const text = 'event: change\r\ndata: {"tables":["events"]}\r\n\r\n';
    for (let cut = 0; cut <= text.length; cut += 1) {
      const read = makeEventStreamReader();
      const messages = [...read(text.slice(0, cut)), ...read(text.slice(cut))];
      expect(messages).toEqual([{ event: "change", data: '{"tables":["events"]}' }]);
    }
  });

  it("ignores heartbeats", () => {
    expect(makeEventStreamReader()(": beat\n\n: beat\n\n")).toEqual([]);
  });

  it("joins the lines of one message", () => {
    expect(makeEventStreamReader()("data: a\ndata:b\n\n")).toEqual([{ event: "message", data: "a\nb" }]);
  });
});
