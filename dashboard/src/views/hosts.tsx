import type { Host } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { HostEntry } from "../components/sessions/host-entry.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { formatMany } from "../text/count.ts";
import { noFilter, type View } from "../view.ts";

export const hosts: View = { path: "/hosts", title: "Hosts", nav: { key: "t" }, filter: noFilter, Page: Hosts };

function Hosts() {
  const resource = useResource("hosts/list", {});
  return (
    <>
      <PageHead title="Hosts" lead={resource.value && makeLead(resource.value.hosts)} />
      <Loaded resource={resource} rows={9}>
        {({ hosts: all }) => (
          <ul class="divide-y divide-line border-y border-line">
            {all
              .toSorted((a, b) => rank(a) - rank(b))
              .map((host) => (
                <HostEntry key={host.host} host={host} />
              ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function makeLead(all: readonly Host[]): string {
  const installed = all.filter((host) => host.installed).length;
  const here = all.filter((host) => host.found).length;
  if (here === 0) return `None of the ${all.length} known hosts is on this machine`;
  return `${formatMany(here, "host")} on this machine, ${installed === here ? "all" : installed === 0 ? "none" : installed} with hooks of oldhand`;
}

/** Those with something to look at first; the sort keeps the given order among equals. */
function rank({ found, lastAt }: Host): number {
  if (found) return 0;
  return lastAt === null ? 2 : 1;
}
