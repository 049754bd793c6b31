/** The time zone of this process; UTC if it has none. */
export function localTimeZone(): string {
  return findLocalTimeZone() ?? "UTC";
}

/** What is wrong with the time zone of this process, given its variable TZ; null if it has one. */
export function findLocalZoneFault(given: string | undefined): string | null {
  return findLocalTimeZone() === null ? explainZoneFault(given ?? "") : null;
}

function findLocalTimeZone(): string | null {
  // Undefined if the variable TZ is not a zone, whatever the type says.
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === undefined || !isTimeZone(zone) ? null : zone;
}

export function explainZoneFault(zone: string): string {
  return `"${zone}" is not a time zone, such as Europe/Berlin or UTC`;
}

export function isTimeZone(zone: string): boolean {
  try {
    return Intl.DateTimeFormat("en-US", { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}
