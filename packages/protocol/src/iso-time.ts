/** A date, an optional time, and an optional zone after the time: `Z`, `+02:00`, `+0200` or `+02`. */
const ISO_TIME =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:T(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?<zone>Z|(?<hours>[+-]\d{2})(?::?(?<minutes>\d{2}))?)?)?$/;

/** A parsed ISO 8601 date or date and time. */
export interface IsoTime {
  /**
   * Epoch milliseconds. A date is the start of its day. Without a zone, the text is in UTC, as all reports
   * are.
   */
  readonly at: number;
  readonly hasTime: boolean;
  readonly hasZone: boolean;
}

/**
 * Parses a date, or a date and time.
 * @returns null if the text has another format, or its day or time does not exist
 */
export function readIsoTime(text: string): IsoTime | null {
  const { day, time, zone, hours, minutes } = ISO_TIME.exec(text)?.groups ?? {};
  if (day === undefined || !isDay(day)) return null;
  // ECMAScript requires `Date.parse` to accept only `±hh:mm` as offset.
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes ?? '00'}`;
  const at = Date.parse(`${day}T${time ?? '00:00'}${offset}`);
  return Number.isNaN(at) ? null : { at, hasTime: time !== undefined, hasZone: zone !== undefined };
}

/** `Date.parse` accepts `2026-02-30` as 2 March. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
