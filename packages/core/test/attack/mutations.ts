import fc from 'fast-check';
import { hostileValue } from './hostile-values.ts';

/** A change to one field or item of a JSON value. */
interface Mutation {
  /** The index of the field or item to change, modulo the number of fields and items. */
  readonly fieldIndex: number;
  readonly action: 'replace' | 'distort' | 'delete' | 'add';
  readonly name: string;
  readonly value: unknown;
  /** Appended to a text. */
  readonly suffix: string;
}

const SUFFIXES = [
  '\0',
  '\ud800',
  '\udfff',
  '\u202e',
  '\u200b',
  ' ',
  '\n',
  '\u212a',
  '\u0301',
  'x'.repeat(256),
  'x'.repeat(2_048),
];

const mutation: fc.Arbitrary<Mutation> = fc.record({
  fieldIndex: fc.nat(1_000),
  action: fc.constantFrom('distort', 'distort', 'distort', 'replace', 'replace', 'delete', 'add'),
  name: fc.constantFrom(
    '__proto__',
    'constructor',
    'id',
    'role',
    'status',
    'user_id',
    'is_test',
    'extra',
    '',
  ),
  value: hostileValue,
  suffix: fc.constantFrom(...SUFFIXES),
});

/** Leaves about half of the generated values unchanged. In the other half, changes one to six fields or items each. */
export function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const mutations = fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(mutation, { minLength: 2, maxLength: 6 }) },
  );
  return fc.tuple(value, mutations).map(([original, changes]) => {
    // A field with the name `__proto__` must stay a field, so `apply` sets fields with `defineProperty`.
    const copy: unknown = structuredClone(original);
    for (const change of changes) apply(copy, change);
    return copy;
  });
}

function apply(root: unknown, { fieldIndex, action, name, value, suffix }: Mutation): void {
  const places = placesOf(root);
  const chosen = places[fieldIndex % Math.max(1, places.length)];
  if (!chosen) return;
  if (action === 'add') set(chosen.parent, name, value);
  else if (action === 'delete') Reflect.deleteProperty(chosen.parent, chosen.key);
  else set(chosen.parent, chosen.key, action === 'distort' ? distort(chosen, suffix, value) : value);
}

/** Changes a value slightly, so that it may pass checks that a random value would fail. */
function distort({ parent, key }: Place, suffix: string, value: unknown): unknown {
  const current: unknown = Reflect.get(parent, key);
  if (typeof current === 'string') return current + suffix;
  if (typeof current === 'number') return suffix.length % 2 === 0 ? -current : current + 0.5;
  if (Array.isArray(current)) return [...current, ...current, value];
  return value;
}

/** Sets a field, even if its name is `__proto__`. */
export function set(parent: object, key: string, value: unknown): void {
  // The value is copied, because other requests share it, and later mutations of this request would change it.
  Object.defineProperty(parent, key, {
    value: structuredClone(value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

export interface Place {
  readonly parent: object;
  readonly key: string;
}

/** Returns the fields and items of a JSON value down to a maximum depth. */
export function placesOf(value: unknown, depth = 0): Place[] {
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    { parent: value, key },
    ...placesOf(child, depth + 1),
  ]);
}
