import type { Answer } from "./hook-event.ts";

/** The line for the person, in the word that several hosts share: they show it, and their models do not read it. */
export function systemMessage({ forPerson }: Answer): { readonly systemMessage?: string } {
  return forPerson === undefined ? {} : { systemMessage: forPerson };
}
