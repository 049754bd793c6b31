import type { Host } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { Chevron } from "../components/chevron.tsx";
import { HostEntry } from "../components/sessions/host-entry.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { WithCommands } from "../components/with-commands.tsx";
import { formatMany } from "../text/count.ts";
import { noFilter, type View } from "../view.ts";

export const hosts: View = { path: "/hosts", title: "Hosts", nav: { key: "t" }, filter: noFilter, Page: Hosts };

function Hosts() {
  const resource = useResource("hosts/list", {});
  return (
    <>
      <PageHead title="Hosts" lead={resource.value && makeLead(resource.value.hosts)} />
      <Loaded resource={resource} rows={9}>
        {({ hosts: all }) => {
          const [here, elsewhere] = [all.filter(isShown), all.filter((host) => !isShown(host))];
          return (
            <>
              {here.length > 0 && <HostList hosts={here.toSorted((a, b) => rank(a) - rank(b))} />}
              {elsewhere.length > 0 && (
                <details class="group mt-4" open={here.length === 0}>
                  <summary class="inline-flex items-center gap-2 py-1 text-soft hover:text-ink">
                    <Chevron /> {formatMany(elsewhere.length, "other host")} that oldhand knows, not on this machine
                  </summary>
                  <p class="mt-1 text-sm text-soft">
                    <WithCommands text="After you set one up here, `oldhand install` connects it." />
                  </p>
                  <div class="mt-2">
                    <HostList hosts={elsewhere} />
                  </div>
                </details>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function HostList({ hosts: some }: { readonly hosts: readonly Host[] }) {
  return (
    <ul class="divide-y divide-line border-y border-line">
      {some.map((host) => (
        <HostEntry key={host.host} host={host} />
      ))}
    </ul>
  );
}

function isShown({ state, events }: Host): boolean {
  return state !== "not here" || events > 0;
}

function makeLead(all: readonly Host[]): string {
  const installed = all.filter((host) => host.installed).length;
  const here = all.filter((host) => host.found).length;
  if (here === 0) return `None of the ${all.length} known hosts is on this machine`;
  return `${formatMany(here, "host")} on this machine, ${installed === here ? "all" : installed === 0 ? "none" : installed} with oldhand's hooks`;
}

/** Hosts on this machine first, then those with events. The sort keeps the given order among equals. */
function rank({ found, lastAt }: Host): number {
  if (found) return 0;
  return lastAt === null ? 2 : 1;
}
