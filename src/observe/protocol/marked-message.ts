import { hasMarker } from "../../domain/memory/markers.ts";

/** The agent's last message, if the host sends it and it contains a marker. Other messages are not stored. */
export function readMarkedMessage(payload: Readonly<Record<string, unknown>>): { readonly said?: string } {
  const said = payload["last_assistant_message"];
  return typeof said === "string" && hasMarker(said) ? { said } : {};
}
