import type { Component, Markdown } from "@earendil-works/pi-tui";
import { markdownTheme } from "./theme.ts";

let MarkdownView: typeof Markdown | null = null;

/** Loaded after the first prompt: its patterns take longer to make than the prompt itself. */
export async function loadMarkdown(): Promise<void> {
  ({ Markdown: MarkdownView } = await import("@earendil-works/pi-tui/dist/components/markdown.js"));
}

/** Null as long as it is not loaded. */
export function newMarkdownView(text: string): Component | null {
  return MarkdownView === null
    ? null
    : new MarkdownView(keepNames(text), 0, 0, markdownTheme, undefined, { renderLatex: false });
}

/** Names such as `__init__` are no bold words. In code, underscores have no meaning anyway. */
function keepNames(text: string): string {
  return text.replaceAll(
    /(```[^]*?(?:```|$)|`[^`\n]*`)|(?<![\w\\])__(\w+?)__(?!\w)/g,
    (whole: string, code: string | undefined, name: string | undefined) =>
      code === undefined ? `\\_\\_${name ?? ""}\\_\\_` : whole,
  );
}
