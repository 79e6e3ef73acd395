/** A day; a time of it may follow, and a zone may follow that: `Z`, `+02:00`, `+0200` or `+02`. */
const ISO_TIME =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:T(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?<zone>Z|(?<hours>[+-]\d{2})(?::?(?<minutes>\d{2}))?)?)?$/;

/** What an ISO 8601 text says. */
export interface IsoTime {
  /** In epoch milliseconds; of a day alone its beginning. What names no zone is UTC, as all reports are. */
  readonly at: number;
  readonly hasTime: boolean;
  readonly hasZone: boolean;
}

/** Reads a date, or a date and time; null where it is none, or no such day or time exists. */
export function readIsoTime(text: string): IsoTime | null {
  const { day, time, zone, hours, minutes } = ISO_TIME.exec(text)?.groups ?? {};
  if (day === undefined || !isDay(day)) return null;
  // `Date.parse` promises no more than the longest of the forms.
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes ?? '00'}`;
  const at = Date.parse(`${day}T${time ?? '00:00'}${offset}`);
  return Number.isNaN(at) ? null : { at, hasTime: time !== undefined, hasZone: zone !== undefined };
}

/** `2026-02-30` would be taken as 2 March. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
