const ISO =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?$/;
/** No vendor existed before this time. */
const EARLIEST = Date.UTC(2000, 0, 1);
/** A time may be up to a day in the future: clocks may differ, and a time without a time zone is read as UTC. */
const TOLERANCE_MS = 86_400_000;

/**
 * Reads an ISO 8601 time, or seconds or milliseconds since 1970. A time without a time zone is in UTC. A time
 * up to a day in the future becomes `now`.
 * @returns null when the text is not such a time, or when the time is before 2000 or more than a day in the
 * future
 */
export function parseTime(text: string, now: number): number | null {
  const at = readTime(text.trim());
  if (at === null || Number.isNaN(at) || at < EARLIEST || at > now + TOLERANCE_MS) return null;
  return Math.min(at, now);
}

function readTime(text: string): number | null {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  if (!ISO.test(text)) return null;
  const [date = '', time = ''] = [text.slice(0, 10), text.slice(11)];
  if (time === '') return Date.parse(`${date}T00:00:00Z`);
  const zone = time.replace(/^[\d:.]+ ?/, '');
  const clock = time.slice(0, time.length - zone.length).trimEnd();
  const offset = zone === '' || zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  return Date.parse(`${date}T${clock}${offset}`);
}
