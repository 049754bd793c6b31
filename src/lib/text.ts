/** Text that every store can hold: no NUL (PostgreSQL refuses it), no lone surrogates. */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\u2400") : whole;
}

/** At most `max` characters. Keeps the beginning and the end, because errors often name their cause at the end. */
export function cap(text: string, max: number): string {
  if (text.length <= max) return text;
  const cutBefore = Number(/ … \[(\d+) characters cut\] … /.exec(text)?.[1] ?? 0);
  const note = ` … [${text.length - max + cutBefore} characters cut] … `;
  const room = Math.max(0, max - note.length);
  const head = Math.ceil(room * 0.6);
  return (text.slice(0, head) + note + text.slice(text.length - (room - head))).toWellFormed();
}

/** With a capital first letter. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** True if the text was truncated, here or by its sender. */
export function isCut(text: string): boolean {
  return text.endsWith("…") || /… \[\d+ characters cut\] …/.test(text);
}

export function oneLine(text: string, max = 160): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** `[####······]  40 %` */
export function bar(share: number, width = 10): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `[${"#".repeat(full)}${"·".repeat(width - full)}] ${String(Math.round(share * 100)).padStart(3)} %`;
}
