import type { Component, Markdown } from "@earendil-works/pi-tui";
import { markdownTheme } from "./theme.ts";

let MarkdownView: typeof Markdown | null = null;

/** Loaded after the first prompt: its patterns take longer to make than the prompt itself. */
export async function loadMarkdown(): Promise<void> {
  ({ Markdown: MarkdownView } = await import("@earendil-works/pi-tui/dist/components/markdown.js"));
}

/** Null as long as it is not loaded. */
export function newMarkdownView(text: string): Component | null {
  return MarkdownView === null ? null : new MarkdownView(text, 0, 0, markdownTheme, undefined, { renderLatex: false });
}
