import { resolve } from "node:path";
import type { Config } from "../../config.ts";
import { OldhandError } from "../../lib/errors.ts";
import { parseChain } from "../../models/gateway/usable-models.ts";
import { readOverrides } from "../../models/prices/override.ts";
import { listEndpoints } from "../../models/providers/registry.ts";
import { requireProvider } from "../../models/providers/named-model.ts";

/** Refuses a value of a model setting that later calls could not use: a price file with a mistake, or an unknown provider. */
export function checkModelSetting(
  { home, providers }: Pick<Config, "home" | "providers">,
  path: string,
  typed: string,
) {
  if (typed === "" || typed === "default") return;
  if (path === "models.prices") readOverrides(resolve(home, typed));
  if (path === "models.chain" || path === "models.default")
    for (const { provider } of parseChain(typed)) requireProvider(provider, providers);
  if (path !== "models.secretsTo") return;
  const known = [...listEndpoints(providers).map(({ name }) => name), "loopback", "none"];
  const unknown = typed.split(",").find((name) => !known.includes(name.trim()));
  if (unknown !== undefined)
    throw new OldhandError("usage", `there is no provider "${unknown.trim()}"`, { hint: `known: ${known.join(", ")}` });
}
