/** A behaviour taken out of the sources, and the test that must notice. */
export interface Mutation {
  /** Which of the tracker's points it is part of. */
  readonly requirement: number;
  /** What the visitor or the site no longer gets. */
  readonly removes: string;
  /** The file below the package. */
  readonly file: string;
  /** Text that is in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** File in `test/` without its `.e2e.test.ts`, and a part of the test's name; or the build, which must refuse. */
  readonly detectedBy: readonly [file: string, name: string] | 'the build';
}
