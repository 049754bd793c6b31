import { useEffect, useRef } from "preact/hooks";
import { isLocked } from "./api/token.ts";
import { currentLocation, replaceLocation } from "./browser/location.ts";
import { type Params, matchPath } from "./browser/route.ts";
import { Locked } from "./components/frame/locked.tsx";
import { NotFound } from "./components/frame/not-found.tsx";
import { Shell } from "./components/frame/shell.tsx";
import { fullFilter, noFilter, type View } from "./view.ts";
import { movedPaths, views } from "./views.ts";

export function App() {
  const { pathname } = currentLocation.value;
  const moved = movedPaths[pathname];
  useEffect(() => {
    if (moved !== undefined) replaceLocation(moved + currentLocation.peek().search);
  }, [moved]);
  const found = findView(moved ?? pathname);
  useNavigationEffects(pathname, isLocked.value ? "Token needed" : (found?.view.title ?? "Not found"));
  if (isLocked.value) return <Locked />;
  return (
    <Shell pathname={pathname} filter={found ? (found.view.filter ?? fullFilter) : noFilter}>
      {found ? <found.view.Page key={pathname} params={found.params} /> : <NotFound />}
    </Shell>
  );
}

function findView(pathname: string): { readonly view: View; readonly params: Params } | null {
  for (const view of views) {
    const params = matchPath(view.path, pathname);
    if (params) return { view, params };
  }
  return null;
}

/** Does what a page load would do: sets the title, and moves the focus so that a screen reader announces the page. */
function useNavigationEffects(pathname: string, title: string): void {
  const first = useRef(true);
  useEffect(() => {
    document.title = `${title} · oldhand`;
  }, [title]);
  useEffect(() => {
    if (!first.current) document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    first.current = false;
  }, [pathname]);
}
