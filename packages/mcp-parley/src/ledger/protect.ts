/** How outcomes are hidden from whoever reads the store. */
export interface Protect {
  /** Seals a text for the row named `row`: it opens for no other. */
  protect(text: string, row: string): string;
  /** The text again; undefined if it can't be opened, for instance after its key was removed. */
  reveal(text: string, row: string): string | undefined;
}
