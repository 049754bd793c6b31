/** `local/big broke off (the stream ended early); the same model starts over` */
export function formatRestart({
  from,
  to,
  why,
}: {
  readonly from: string;
  readonly to: string;
  readonly why: string;
}): string {
  return `${from} broke off (${why}); ${to === from ? "the same model" : to} starts over`;
}
