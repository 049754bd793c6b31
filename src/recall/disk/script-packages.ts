import { dirname } from "node:path";
import type { ScriptPackage } from "../../domain/fact/fact-message.ts";
import { npmScripts } from "../../domain/shell/package-scope.ts";
import { mayOfferScript } from "../../domain/text/target-change.ts";
import { folderCovers } from "../../domain/workspace.ts";
import { listPackages, type PackageSearch, type WorkspacePackage } from "./find-package.ts";

interface WantedScript {
  readonly script: string;
  /** The package manager. */
  readonly program: string;
  /** The `package.json` that lacks the script. */
  readonly manifest: string;
  /** The folder of a package where it worked. */
  readonly worked?: string | null;
}

/**
 * The packages below a folder that have a script which the folder's own `package.json` lacks, and how it is run from there:
 * first the one where it worked. Scripts that reach others or destroy something are never offered.
 */
export function findScriptPackages(
  wanted: WantedScript,
  search: Omit<PackageSearch, "from">,
): readonly ScriptPackage[] {
  const { script, program, manifest, worked = null } = wanted;
  const root = dirname(manifest);
  if (!managers.has(program) || !/^[\w:.@/-]+$/.test(script) || !mayOfferScript(script, "")) return [];
  const having = listPackages(root, program, search).filter(
    ({ folder, scripts }) => folder !== root && scripts.includes(script),
  );
  const first = having.find(({ folder }) => folder === worked);
  const isBelow = worked !== null && worked !== root && folderCovers(root, worked);
  const listed = first === undefined ? [] : [first];
  return [
    ...listed.map((one) => toScriptPackage(wanted, one)),
    ...(first === undefined && isBelow ? [toScriptPackage(wanted, { folder: worked, name: null })] : []),
    ...having.filter((one) => one !== first).map((one) => toScriptPackage(wanted, one)),
  ].slice(0, MOST);
}

const managers: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);

const MOST = 3;

function toScriptPackage(
  { script, program }: WantedScript,
  { folder, name }: Omit<WorkspacePackage, "scripts">,
): ScriptPackage {
  if (name === null) return { folder, command: `${program} run ${script}`, isInFolder: true };
  const named: Readonly<Record<string, string>> = {
    npm: `npm ${npmScripts.test(script) ? script : `run ${script}`} -w ${name}`,
    pnpm: `pnpm --filter ${name} run ${script}`,
    yarn: `yarn workspace ${name} run ${script}`,
    bun: `bun run --filter ${name} ${script}`,
  };
  return { folder, command: named[program] ?? "", isInFolder: false };
}
