import { signal } from "@preact/signals";

const KEY = "oldhand.token";

/** True while there is no token the server would accept. */
export const isLocked = signal(false);

/** Moves the token from the address (`#token=…`) into this tab's memory. */
export function takeToken(): void {
  readFragment();
  isLocked.value = getToken() === null;
  // Pasting the printed address into an open tab changes only the fragment: no reload happens.
  addEventListener("hashchange", () => {
    if (readFragment()) location.reload();
  });
  shareToken();
}

export function getToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function refuseToken(): void {
  sessionStorage.removeItem(KEY);
  isLocked.value = true;
}

function readFragment(): boolean {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found === null) return false;
  sessionStorage.setItem(KEY, found);
  history.replaceState(history.state, "", location.pathname + location.search);
  return true;
}

// sessionStorage does not follow a link opened in a new tab, so a tab without the token asks the
// other open tabs of this same origin for it.
function shareToken(): void {
  const channel = new BroadcastChannel(KEY);
  channel.onmessage = ({ data }: MessageEvent<{ token: string | null }>) => {
    const held = getToken();
    if (data.token === null && held !== null && !isLocked.value) channel.postMessage({ token: held });
    if (data.token !== null && isLocked.value) {
      sessionStorage.setItem(KEY, data.token);
      location.reload();
    }
  };
  if (isLocked.value) channel.postMessage({ token: null });
}
