import { hasMarker } from "../../domain/memory/markers.ts";

/** The agent's last words, where the host tells them and they hold a marker: answers are not stored otherwise. */
export function readMarkedAnswer(payload: Readonly<Record<string, unknown>>): { readonly said?: string } {
  const said = payload["last_assistant_message"];
  return typeof said === "string" && hasMarker(said) ? { said } : {};
}
