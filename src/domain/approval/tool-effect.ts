/**
 * What a tool call does:
 * - `read`: looks at files of the workspace, or at the mind.
 * - `internal`: changes what is the agent's own: a memory, a sub-agent.
 * - `edit`: changes files of the workspace.
 * - `execute`: runs a program.
 * - `external`: sends something out, or fetches from outside.
 */
export const toolEffects = ["read", "internal", "edit", "execute", "external"] as const;
export type ToolEffect = (typeof toolEffects)[number];
