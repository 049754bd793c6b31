import type { View } from "./view.ts";
import { failures } from "./views/failures.tsx";
import { history } from "./views/history.tsx";
import { hosts } from "./views/hosts.tsx";
import { overview } from "./views/overview.tsx";
import { rules } from "./views/rules.tsx";
import { session } from "./views/session.tsx";
import { sessions } from "./views/sessions.tsx";

/** Navigation, routes and keys are read off this list: a new page is one file and one line. */
export const views: readonly View[] = [overview, sessions, session, failures, rules, history, hosts];
