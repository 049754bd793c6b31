import type { Output } from "../../api/api-result.ts";
import { formatMany } from "../../text/count.ts";
import { Badge } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { WithCommands } from "../with-commands.tsx";

type Listed = Output<"models/list">;

/** The models that may be called, and all providers: which can be used now, and what the others need. */
export function ModelList({ models, providers }: Listed) {
  const usable = providers.filter((one) => one.isUsable);
  const others = providers.filter((one) => !one.isUsable);
  return (
    <div class="flex flex-col gap-3">
      {models.length > 0 && (
        <ul class="divide-y divide-line border-y border-line text-sm" aria-label="Models">
          {models.map((one) => (
            <li key={one.model} class="flex flex-wrap items-baseline gap-x-2 py-1.5 [overflow-wrap:anywhere]">
              <span class="min-w-0 font-medium">{one.model}</span>
              {one.isDefault && <Badge title="goes first while nothing is known about a kind of task">default</Badge>}
              <Usability why={one.why} />
            </li>
          ))}
        </ul>
      )}
      <ul class="divide-y divide-line border-y border-line text-sm" aria-label="Providers that can be used">
        {usable.map((one) => (
          <ProviderRow key={one.name} provider={one} />
        ))}
        {usable.length === 0 && <li class="py-1.5 text-soft">No provider can be used yet.</li>}
      </ul>
      {others.length > 0 && (
        <details class="group text-sm">
          <summary class="flex items-baseline gap-x-2 py-1 text-soft">
            <Chevron /> {formatMany(others.length, "provider")} that cannot be used now
          </summary>
          <ul class="divide-y divide-line border-y border-line" aria-label="Other providers">
            {others.map((one) => (
              <ProviderRow key={one.name} provider={one} />
            ))}
          </ul>
        </details>
      )}
      <p class="text-sm text-soft">
        <WithCommands text="`oldhand models add PROVIDER/MODEL` adds a model; `oldhand models test` tries one." />
      </p>
    </div>
  );
}

function ProviderRow({ provider }: { readonly provider: Listed["providers"][number] }) {
  const { name, url, models, why } = provider;
  return (
    <li class="flex flex-wrap items-baseline gap-x-2 py-1.5 [overflow-wrap:anywhere]">
      <span class="min-w-0 font-medium">{name}</span>
      <Usability why={why} />
      {why === null && <span class="min-w-0 text-soft">{url}</span>}
      {why === null && models !== null && <span class="text-soft">{formatMany(models.length, "model")}</span>}
    </li>
  );
}

function Usability({ why }: { readonly why: string | null }) {
  return why === null ? <Badge tone="good">usable</Badge> : <span class="min-w-0 text-soft">{why}</span>;
}
