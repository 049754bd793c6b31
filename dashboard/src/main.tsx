import { render } from "preact";
import { followLive } from "./api/live.ts";
import { takeToken } from "./api/token.ts";
import { App } from "./app.tsx";
import { listenForKeys } from "./browser/keys.ts";
import { followLinks } from "./browser/location.ts";

// Remove the token from the address bar before any other code can read or store the address.
takeToken();
followLinks();
listenForKeys();
followLive();

const root = document.getElementById("app");
if (root) render(<App />, root);
