import type { Rule } from "../api/contract.ts";

/** The hosts a rule was learned on, with their versions if known. */
export function formatHosts({ hosts, versions }: Pick<Rule["evidence"], "hosts" | "versions">): string {
  return hosts
    .map((host) => {
      const range = versions?.find((one) => one.host === host);
      if (range === undefined) return host;
      return range.lowest === range.highest ? `${host} ${range.lowest}` : `${host} ${range.lowest} to ${range.highest}`;
    })
    .join(", ");
}
