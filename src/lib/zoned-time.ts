/** A time as people of a zone read it, with its distance from UTC: `2026-05-02T06:00:00+09:00`. */
export function formatZoned(at: number, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  }).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  // `GMT+09:00`, and for UTC `GMT` alone or with zeros.
  const offset = part("timeZoneName").slice("GMT".length).replace("+00:00", "");
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}:${part("second")}${offset === "" ? "Z" : offset}`;
}
