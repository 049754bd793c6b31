import type { PendingCall } from "./before-call.ts";

/** True if the host reports the call together with its result, and it worked: what says that it fails is wrong then. */
export function hasAlreadyWorked({ events = [], tool, input }: PendingCall): boolean {
  return events.some(
    (one) =>
      one.moment === "after-call" &&
      one.tool === tool &&
      one.input === input &&
      one.ok === true &&
      (one.exitCode ?? 0) === 0,
  );
}

/** True if the host reports the call together with its failure. */
export function hasAlreadyFailed({ events = [], tool, input }: PendingCall): boolean {
  return events.some(
    (one) =>
      one.moment === "after-call" &&
      one.tool === tool &&
      one.input === input &&
      (one.ok === false || (one.exitCode ?? 0) !== 0),
  );
}
