import { thisMachine } from "../../config.ts";
import { isRecord } from "../../lib/json.ts";
import { resolveTypedWorkspace, resolvePath } from "../../observe/protocol/workspace.ts";

/**
 * Where the agent at the other end works: hosts start the server there. One that starts it in the user's home or in the root
 * tells nothing; then the agent's own word is all there is.
 */
export function workspaceOfCall(input: unknown): string {
  const here = resolveTypedWorkspace(".");
  const isPlace = here !== "/" && here !== thisMachine().userHome;
  if (isPlace || !isRecord(input)) return here;
  const said = input["workspace"] ?? input["cwd"];
  return typeof said === "string" && said !== "" ? resolveTypedWorkspace(resolvePath(said)) : here;
}
