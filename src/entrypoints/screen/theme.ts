import type { EditorTheme, MarkdownTheme } from "@earendil-works/pi-tui";

type Style = (text: string) => string;

const hasColours = process.env["NO_COLOR"] === undefined || process.env["NO_COLOR"] === "";

function newStyle(open: number, close: number): Style {
  return (text) => `\x1b[${open}m${text}\x1b[${close}m`;
}

function newColour(open: number): Style {
  return hasColours ? newStyle(open, 39) : (text) => text;
}

/** The styles of the screen: the terminal's own colours, so that they fit light and dark backgrounds. */
export const styles = {
  bold: newStyle(1, 22),
  dim: newStyle(2, 22),
  italic: newStyle(3, 23),
  underline: newStyle(4, 24),
  struck: newStyle(9, 29),
  red: newColour(31),
  green: newColour(32),
  yellow: newColour(33),
  blue: newColour(34),
  cyan: newColour(36),
} as const satisfies Readonly<Record<string, Style>>;

export const markdownTheme: MarkdownTheme = {
  heading: (text) => styles.bold(styles.cyan(text)),
  link: styles.underline,
  linkUrl: styles.dim,
  code: styles.yellow,
  codeBlock: (text) => text,
  codeBlockBorder: styles.dim,
  quote: styles.italic,
  quoteBorder: styles.dim,
  hr: styles.dim,
  listBullet: styles.cyan,
  bold: styles.bold,
  italic: styles.italic,
  strikethrough: styles.struck,
  underline: styles.underline,
};

export const editorTheme: EditorTheme = {
  borderColor: styles.dim,
  selectList: {
    selectedPrefix: styles.cyan,
    selectedText: styles.cyan,
    description: styles.dim,
    scrollInfo: styles.dim,
    noMatch: styles.dim,
  },
};
