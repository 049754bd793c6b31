/** Something to choose in the palette: a place to go to, or a command to run. */
export type PaletteItem = {
  /** The same thing has the same key in every search, so that it is known again among the recent ones. */
  readonly key: string;
  readonly group: string;
  readonly text: string;
  readonly detail?: string;
  /** How to get there without the palette. */
  readonly keys?: string;
} & ({ readonly href: string } | { readonly run: () => void });

/** A command that is given to the palette. */
export type PaletteCommand = {
  readonly label: string;
  readonly keys?: string;
  readonly run: () => void;
};
