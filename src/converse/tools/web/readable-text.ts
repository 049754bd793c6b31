import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";

/** The text of a web page, without menus and scripts. Its libraries are large: import this module where it is needed. */
export function extractReadableText(html: string): { readonly title: string; readonly text: string } {
  // Without this, a page that leaves the tags out would have no body.
  const whole = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
  const { document } = parseHTML(whole);
  for (const node of document.querySelectorAll("script, style, noscript, template, svg, iframe")) node.remove();
  const title = document.querySelector("title")?.textContent ?? "";
  const text = document.body?.textContent ?? "";
  // Readability changes the document, so the whole text is taken before.
  const article = new Readability(document, { maxElemsToParse: MOST_ELEMENTS }).parse();
  const readable = collapse(article?.textContent ?? "");
  return { title: oneSpace(article?.title ?? title), text: readable.length >= MIN_ARTICLE ? readable : collapse(text) };
}

const MOST_ELEMENTS = 50_000;
/** A shorter article is a wrong guess. */
const MIN_ARTICLE = 200;

function collapse(text: string): string {
  return text
    .split("\n")
    .map(oneSpace)
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function oneSpace(text: string): string {
  return text.replaceAll(/[^\S\n]+/g, " ").trim();
}
