import { signal } from "@preact/signals";

const KEY = "oldhand.token";

/** True while there is no token that the server accepts. */
export const isLocked = signal(false);

/** Moves the token from the address (`#token=…`) into this tab's session storage. */
export function takeToken(): void {
  readFragment();
  isLocked.value = getToken() === null;
  // Pasting the printed address into an open tab changes only the fragment, so the page does not reload.
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

// sessionStorage is not copied to a link opened in a new tab, so a tab without a token asks other open tabs of this
// origin.
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
