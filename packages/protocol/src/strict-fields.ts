import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { visibleText } from './fields.ts';

/** A known name is suggested only if it has at least this many characters per typo. */
const LETTERS_PER_FIELD_TYPO = 2;
const MAX_FIELD_TYPOS = 2;
/** The maximum number of names in an error message. A request may contain thousands of unknown fields. */
const MAX_SHOWN_FIELDS = 5;
const MAX_SHOWN_FIELD_LENGTH = 64;

/**
 * An object schema that rejects unknown fields. The error message suggests the correct name if a name is
 * misspelled.
 */
export function strictFields<Shape extends z.ZodRawShape>(shape: Shape) {
  return strict('field', shape);
}

/** The schema of a query. It rejects unknown parameters, as `strictFields` does for fields. */
export function strictQuery<Shape extends z.ZodRawShape>(shape: Shape) {
  return strict('query parameter', shape);
}

/**
 * Creates an object schema that rejects unknown fields. `noun` is the word for a field in its error messages.
 */
function strict<Shape extends z.ZodRawShape>(noun: string, shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownNames(noun, issue.keys, Object.keys(shape), issue.path)
        : undefined,
  });
}

/**
 * Returns the error message for the `unknown` names. Each name is prefixed with `path`. Suggestions come from
 * the `known` names.
 */
export function unknownNames(
  noun: string,
  unknown: readonly string[],
  known: readonly string[],
  path: readonly PropertyKey[] = [],
): string {
  const quote = (name: string) =>
    `"${[...path.map(String), visibleText(name, MAX_SHOWN_FIELD_LENGTH)].join('.')}"`;
  const shown = unknown.slice(0, MAX_SHOWN_FIELDS).map(quote).join(', ');
  const others = unknown.length > MAX_SHOWN_FIELDS ? ` and ${unknown.length - MAX_SHOWN_FIELDS} more` : '';
  const similar = unknown.slice(0, MAX_SHOWN_FIELDS).flatMap((name) => findSimilar(name, known) ?? []);
  const advice =
    similar.length > 0
      ? `Did you mean ${[...new Set(similar)].map(quote).join(', ')}?`
      : known.length > 0
        ? `Known: ${known.join(', ')}.`
        : 'This route accepts none.';
  return `Unknown ${noun}${unknown.length > 1 ? 's' : ''} ${shown}${others}. ${advice}`;
}

function findSimilar(name: string, known: readonly string[]): string | undefined {
  const letters = fieldLettersOf(name.slice(0, MAX_SHOWN_FIELD_LENGTH));
  return known
    .map((candidate) => ({ candidate, typos: distance(letters, fieldLettersOf(candidate)) }))
    .filter(
      ({ candidate, typos }) =>
        typos <= Math.min(MAX_FIELD_TYPOS, Math.floor(candidate.length / LETTERS_PER_FIELD_TYPO)),
    )
    .sort((a, b) => a.typos - b.typos)[0]?.candidate;
}

function fieldLettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}
