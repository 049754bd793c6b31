/** True if the setting `models.secretsTo` names the provider, or all servers on this machine and the provider is one. */
export function mayGetSecrets(
  secretsTo: string,
  { provider, isLoopback }: { readonly provider: string; readonly isLoopback: boolean },
): boolean {
  const trusted = secretsTo.split(",").map((one) => one.trim());
  return trusted.includes(provider) || (isLoopback && trusted.includes("loopback"));
}
