/** Matches texts with letters of a right-to-left script, or with a right-to-left mark. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Matches characters that change the direction of the text after them. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Isolates a text that a user wrote, such as a name, so that it can be part of a sentence. Otherwise, a right-to-left
 * name would change the order of the amounts and dates beside it. Left-to-right texts get no invisible characters,
 * because users copy them.
 */
export function isolate(text: string): string {
  const plain = text.replaceAll(DIRECTION_CONTROLS, '');
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}
