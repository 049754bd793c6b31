import { thisMachine } from "../../config.ts";
import { isRecord } from "../../lib/json.ts";
import { resolveTypedWorkspace, resolvePath } from "../../observe/protocol/workspace.ts";

/**
 * The calling agent's workspace: the folder that the host started the server in. If that is the user's home or the
 * root, it says nothing, and the workspace that the agent names is used.
 */
export function workspaceOfCall(input: unknown): string {
  const here = resolveTypedWorkspace(".");
  const isPlace = here !== "/" && here !== thisMachine().userHome;
  if (isPlace || !isRecord(input)) return here;
  const said = input["workspace"] ?? input["cwd"];
  return typeof said === "string" && said !== "" ? resolveTypedWorkspace(resolvePath(said)) : here;
}
