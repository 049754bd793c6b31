/** True if the setting `models.secretsTo` names the provider, or has `loopback` and the provider runs on this machine. */
export function mayGetSecrets(
  secretsTo: string,
  { provider, isLoopback }: { readonly provider: string; readonly isLoopback: boolean },
): boolean {
  const trusted = secretsTo.split(",").map((one) => one.trim());
  return trusted.includes(provider) || (isLoopback && trusted.includes("loopback"));
}
