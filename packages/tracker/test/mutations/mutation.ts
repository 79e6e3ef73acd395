/** A change that removes one behavior from the sources, and the test that must fail. */
export interface Mutation {
  /** Number of the requirement in `mutations.ts`. */
  readonly requirement: number;
  /** The removed behavior. */
  readonly removes: string;
  /** Path below the package. */
  readonly file: string;
  /** Text that occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /**
   * The test that must fail: a file in `test/` without `.e2e.test.ts`, and part of the test's name. `the
   * build` means that the build must exceed its size budget.
   */
  readonly detectedBy: readonly [file: string, name: string] | 'the build';
}
