/** What the owner must know of, in the same words wherever it is shown: an alert, or jobs that no worker runs. */
export function formatAlert(text: string): string {
  return `Alert: ${text}${text.endsWith(".") ? "" : "."}`;
}
