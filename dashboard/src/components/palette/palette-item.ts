/** A palette entry: a page to open, or a command to run. */
export type PaletteItem = {
  /** The same in every search, so that recent entries can be recognised. */
  readonly key: string;
  readonly group: string;
  readonly text: string;
  readonly detail?: string;
  /** The shortcut that does the same without the palette. */
  readonly keys?: string;
} & ({ readonly href: string } | { readonly run: () => void });

/** A command passed to the palette. */
export type PaletteCommand = {
  readonly label: string;
  readonly keys?: string;
  readonly run: () => void;
};
