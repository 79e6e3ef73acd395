/** A date, optionally with a time, which may have a zone: `Z`, `+02:00`, `+0200` or `+02`. */
const ISO_TIME =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:T(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?<zone>Z|(?<hours>[+-]\d{2})(?::?(?<minutes>\d{2}))?)?)?$/;

/** A parsed ISO 8601 date or date and time. */
export interface IsoTime {
  /**
   * Epoch milliseconds. A date means the start of that day. Text without a zone is in UTC, like all reports.
   */
  readonly at: number;
  readonly hasTime: boolean;
  readonly hasZone: boolean;
}

/**
 * Parses a date, or a date and time.
 * @returns null if the text has another format, or if the day or time does not exist
 */
export function readIsoTime(text: string): IsoTime | null {
  const { day, time, zone, hours, minutes } = ISO_TIME.exec(text)?.groups ?? {};
  if (day === undefined || !isDay(day)) return null;
  // Convert the offset to `±hh:mm`, because ECMAScript does not require `Date.parse` to accept other
  // forms.
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes ?? '00'}`;
  const at = Date.parse(`${day}T${time ?? '00:00'}${offset}`);
  return Number.isNaN(at) ? null : { at, hasTime: time !== undefined, hasZone: zone !== undefined };
}

/** Whether the day exists. `Date.parse` reads `2026-02-30` as 2 March. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
