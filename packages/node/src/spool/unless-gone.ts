import { errorCodeOf } from '../redact.ts';

/** Handles the error of a file operation: returns undefined if the file does not exist, otherwise throws the error. */
export function unlessGone(error: unknown): undefined {
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}
