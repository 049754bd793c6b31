import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type MarkdownBlock, type MarkdownInline, parseMarkdown } from "../../text/markdown.ts";

/** A model's text. It becomes elements, never HTML: it cannot run anything, and nothing in it is loaded. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div class="flex min-w-0 flex-col gap-2.5 [overflow-wrap:anywhere]">
      <Blocks blocks={blocks} />
    </div>
  );
}

function Blocks({ blocks }: { readonly blocks: readonly MarkdownBlock[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </>
  );
}

function Block({ block }: { readonly block: MarkdownBlock }) {
  switch (block.kind) {
    case "heading":
      return (
        // The page has its own headings; those of a text must not mix with them.
        <p class={`font-semibold ${block.level <= 2 ? "text-lg" : ""}`}>
          <Inlines parts={block.children} />
        </p>
      );
    case "paragraph":
      return (
        <p class="whitespace-pre-line">
          <Inlines parts={block.children} />
        </p>
      );
    case "code":
      return <CodeBlock language={block.language} text={block.text} />;
    case "quote":
      return (
        <blockquote class="flex flex-col gap-2 border-l-2 border-edge pl-3 text-soft">
          <Blocks blocks={block.children} />
        </blockquote>
      );
    case "list":
      return <List start={block.start} items={block.items} />;
    case "table":
      return <Table head={block.head} rows={block.rows} />;
    case "rule":
      return <hr class="border-line" />;
  }
}

function CodeBlock({ language, text }: { readonly language: string; readonly text: string }) {
  return (
    <div
      role="group"
      aria-label={language === "" ? "Code" : `Code: ${language}`}
      class="max-h-[32rem] overflow-y-auto rounded border border-line bg-sunken px-3 py-2"
      tabIndex={0}
    >
      <pre class="text-xs leading-relaxed">{text}</pre>
    </div>
  );
}

type ListProps = { readonly start: number | null; readonly items: readonly (readonly MarkdownBlock[])[] };

function List({ start, items }: ListProps) {
  const rows = items.map((item, index) => (
    <li key={index}>
      <div class="flex flex-col gap-1.5">
        <Blocks blocks={item} />
      </div>
    </li>
  ));
  return start === null ? (
    <ul class="flex list-disc flex-col gap-1 pl-5 marker:text-faint">{rows}</ul>
  ) : (
    <ol class="flex list-decimal flex-col gap-1 pl-7 marker:text-faint" start={start}>
      {rows}
    </ol>
  );
}

type Cells = readonly (readonly MarkdownInline[])[];

function Table({ head, rows }: { readonly head: Cells; readonly rows: readonly Cells[] }) {
  return (
    <div role="group" aria-label="Table" class="overflow-x-auto" tabIndex={0}>
      <table class="text-sm">
        <thead>
          <tr class="border-b border-edge text-left">
            {head.map((cell, index) => (
              <th key={index} scope="col" class="py-1 pr-4 font-medium">
                <Inlines parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} class="border-b border-line align-top">
              {row.map((cell, column) => (
                <td key={column} class="py-1 pr-4">
                  <Inlines parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ parts }: { readonly parts: readonly MarkdownInline[] }) {
  return (
    <>
      {parts.map((part, index) => (
        <Inline key={index} part={part} />
      ))}
    </>
  );
}

function Inline({ part }: { readonly part: MarkdownInline }): ComponentChildren {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code class="rounded-[3px] bg-sunken px-1">{part.text}</code>;
    case "strong":
      return (
        <strong class="font-semibold">
          <Inlines parts={part.children} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Inlines parts={part.children} />
        </em>
      );
    case "strike":
      return (
        <s>
          <Inlines parts={part.children} />
        </s>
      );
    case "link":
      return (
        // The address on hover: the words of a link may say something else.
        <a href={part.href} title={part.href} target="_blank" rel="noopener noreferrer nofollow" class="underline">
          <Inlines parts={part.children} />
        </a>
      );
    case "image":
      return (
        <span class="text-soft">
          [image, not loaded: {part.text === "" ? "" : `${part.text}, `}
          {part.href}]
        </span>
      );
    case "break":
      return <br />;
  }
}
