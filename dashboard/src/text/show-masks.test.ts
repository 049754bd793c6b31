import { expect, it } from "vitest";
import { showMasks } from "./show-masks.ts";

it("shows an ellipsis where the calls of a mistake differ, and leaves other marks alone", () => {
  expect(showMasks("Missing script: <str>")).toBe("Missing script: …");
  expect(showMasks("unix://<path>/docker-<n>.sock at <url>, <div>")).toBe("unix://…/docker-….sock at …, <div>");
});
