import { render } from "preact";
import { followLive } from "./api/live.ts";
import { takeToken } from "./api/token.ts";
import { App } from "./app.tsx";
import { listenForKeys } from "./browser/keys.ts";
import { followLinks } from "./browser/location.ts";

// The token leaves the address bar before anything else can read or remember the address.
takeToken();
followLinks();
listenForKeys();
followLive();

const root = document.getElementById("app");
if (root) render(<App />, root);
