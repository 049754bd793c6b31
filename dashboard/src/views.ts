import type { View } from "./view.ts";
import { approvals } from "./views/approvals.tsx";
import { chat } from "./views/chat.tsx";
import { failures } from "./views/failures.tsx";
import { goals } from "./views/goals.tsx";
import { history } from "./views/history.tsx";
import { hosts } from "./views/hosts.tsx";
import { identity } from "./views/identity.tsx";
import { jobs } from "./views/jobs.tsx";
import { letter } from "./views/letter.tsx";
import { ledger } from "./views/ledger.tsx";
import { memory } from "./views/memory.tsx";
import { messages } from "./views/messages.tsx";
import { models } from "./views/models.tsx";
import { review } from "./views/review.tsx";
import { rule } from "./views/rule.tsx";
import { rules } from "./views/rules.tsx";
import { session } from "./views/session.tsx";
import { sessions } from "./views/sessions.tsx";
import { today } from "./views/today.tsx";

/** Navigation, routes and keys are derived from this list: a new page is one file and one line here. */
export const views: readonly View[] = [
  today,
  chat,
  approvals,
  sessions,
  session,
  failures,
  rules,
  // Before `rule`, whose path would match too.
  review,
  rule,
  ledger,
  memory,
  identity,
  messages,
  models,
  goals,
  letter,
  jobs,
  history,
  hosts,
];

/** Addresses of earlier versions, and common guesses. */
export const movedPaths: Readonly<Record<string, string>> = { "/overview": "/", "/today": "/" };
