import type { ComponentChildren } from "preact";
import { useResource } from "../../api/use-resource.ts";
import type { ViewFilter } from "../../view.ts";
import { Palette } from "../palette/palette.tsx";
import { commandsFor, currentPlace } from "../../actions/commands.ts";
import { ActionDialog } from "../actions/action-dialog.tsx";
import { ActionNotice } from "../actions/action-notice.tsx";
import { LiveIndicator } from "../sessions/live-indicator.tsx";
import { FilterDialog } from "./filter-dialog.tsx";
import { KeyList } from "./key-list.tsx";
import { Navigation } from "./navigation.tsx";
import { TopBar } from "./top-bar.tsx";
import { Wordmark } from "./wordmark.tsx";

type Props = { readonly pathname: string; readonly filter: ViewFilter; readonly children: ComponentChildren };

export function Shell({ pathname, filter, children }: Props) {
  return (
    <div class="mx-auto max-w-[82rem] md:grid md:grid-cols-[12.5rem_minmax(0,1fr)]">
      <a href="#main" class="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-raised focus:px-3 focus:py-2">
        Skip to content
      </a>
      <header class="border-line bg-paper max-md:border-b md:sticky md:top-0 md:flex md:h-dvh md:flex-col md:border-r">
        <div class="flex items-center justify-between px-4 pt-3 pb-1 md:px-5 md:pt-6 md:pb-5">
          <a href="/" class="hover:no-underline" aria-label="oldhand: today">
            <Wordmark />
          </a>
          <div class="md:hidden">
            <LiveIndicator />
          </div>
        </div>
        <Navigation pathname={pathname} />
        <div class="mt-auto flex flex-col gap-1 px-5 pb-5 text-xs text-faint max-md:hidden">
          <LiveIndicator />
          <Version />
        </div>
      </header>
      <div class="min-w-0 px-4 pb-20 sm:px-6 md:px-9">
        <TopBar filter={filter} />
        <main id="main" class="min-w-0 pt-4" tabIndex={-1}>
          <SampleNote />
          {children}
        </main>
      </div>
      <ActionDialog />
      <ActionNotice />
      <Palette commands={commandsFor(currentPlace.value)} />
      <FilterDialog by={filter} />
      <KeyList />
    </div>
  );
}

/** Shown on every page, so that made-up data is never taken for real data. */
function SampleNote() {
  const { value } = useResource("status", {});
  if (value?.sample !== true) return null;
  return (
    <p role="note" class="mb-4 border-l-2 border-warn pl-3 text-sm text-warn">
      Sample: everything here is made up. Run <code>oldhand start</code> after an agent has worked on this machine.
    </p>
  );
}

function Version() {
  const { value } = useResource("status", {});
  return (
    <span class="min-h-[1lh] truncate" title={value?.home}>
      {value && `${value.version} · ${value.store}`}
    </span>
  );
}
