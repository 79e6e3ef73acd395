import { toOneLine } from '../letter.ts';

/**
 * @param name null if the email address was not confirmed, because anyone could have entered an advertisement
 * as the name
 */
export function greet(name: string | null): string {
  const line = name === null ? '' : toOneLine(name);
  return line === '' ? 'Hello,' : `Hello ${line},`;
}

/** Formats a time to the minute, such as `2026-01-31 12:00 UTC`. */
export function utcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function plural(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}
