import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const notFound = 'Error from server (NotFound): pods "worker-0" not found';

describe.each(stores)("a thing that the same session found elsewhere, on $name", (kind) => {
  it.each([1, 2])("is not said to be missing, after %i failures in a session", (times) =>
    inWorkspace(kind, async (workspace) => {
      for (let session = 0; session < 4; session++)
        await workspace.session([
          ...Array.from({ length: times }, () => ["kubectl delete pod worker-0", notFound] as const),
          ["kubectl delete pod worker-0 -n prod"],
        ]);
      const rules = await workspace.mine();
      expect(rules.join("\n")).not.toContain("there is no");
      expect(rules).toEqual([
        `nudge: Check where \`worker-0\` is before \`kubectl delete pod worker-0\` here: the call did not find \`worker-0\`, and another one of the session did (failed ${4 * times} of ${4 * times}).`,
      ]);
      expect(await workspace.before("kubectl delete pod worker-0 -n prod")).toBe("");
    }),
  );

  it("is said to be missing where no call found it", () =>
    inWorkspace(kind, async (workspace) => {
      for (let session = 0; session < 4; session++)
        await workspace.session([["kubectl logs worker-9", notFound.replace("worker-0", "worker-9")]]);
      expect((await workspace.mine()).join("\n")).toContain("there is no `worker-9`");
    }));
});
