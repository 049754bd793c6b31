import { makeLazyComponent } from "../components/lazy-component.tsx";
import { noFilter, type View } from "../view.ts";

export const chat: View = {
  path: "/chat",
  title: "Chat",
  nav: { key: "c" },
  filter: { ...noFilter, workspace: true },
  Page: makeLazyComponent(async () => (await import("../components/chat/start-chat.tsx")).StartChat),
};
