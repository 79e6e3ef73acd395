/** A change of the sources that removes one behavior, and the test that must then fail. */
export interface Mutation {
  /** The number of the requirement in `mutations.ts`. */
  readonly requirement: number;
  /** The removed behavior. */
  readonly removes: string;
  /** The path of the source file, relative to the package folder. */
  readonly file: string;
  /** The text to replace. It must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /**
   * The test that must fail: the name of a file in `test/` without `.e2e.test.ts`, and a part of the test's
   * name. `the build` means that the build must exceed its size budget.
   */
  readonly detectedBy: readonly [file: string, name: string] | 'the build';
}
