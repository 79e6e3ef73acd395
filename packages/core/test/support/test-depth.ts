/** Whether this is a long run, with the full number of rounds: `npm run test:long` or `npm run test:attack`. */
const isLong = process.env['AFFKIT_TEST_LONG'] === '1';

/** Short runs repeat the same cases, so that only the change under test can cause a failure. */
const SEED = 20_261_122;

export interface Depth<T> {
  readonly short: T;
  readonly long: T;
}

/** Returns the value for this run: `long` in a long run, `short` otherwise. */
export function byDepth<T>({ short, long }: Depth<T>): T {
  return isLong ? long : short;
}

/** Parameters of a fast-check property: many random cases in a long run, a few seeded cases otherwise. */
export function propertyRuns(depth: Depth<number>): { readonly numRuns: number; readonly seed?: number } {
  return isLong ? { numRuns: depth.long } : { numRuns: depth.short, seed: SEED };
}

/** Returns all cases in a long run. Otherwise, returns every `step`th case, starting with `first`. */
export function sampleCases<T>(cases: readonly T[], step: number, first = 0): readonly T[] {
  return isLong ? cases : cases.filter((_, index) => index % step === first % step);
}

/**
 * Returns the seed of the attack suite: `AFFKIT_TEST_SEED` if it is set. Otherwise, a long run uses a random seed, and
 * a short run uses `SEED`.
 */
export function attackSeed(): number {
  const text = process.env['AFFKIT_TEST_SEED'];
  if (text === undefined) return byDepth({ short: SEED, long: Math.floor(Math.random() * 2 ** 31) });
  const seed = Number(text);
  if (!Number.isSafeInteger(seed)) throw new Error(`AFFKIT_TEST_SEED must be an integer, got "${text}".`);
  return seed;
}
