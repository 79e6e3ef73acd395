/** A source file. The path is relative to the root folder, with forward slashes. */
interface SourceText {
  readonly path: string;
  readonly text: string;
}

const OUTSIDE_STORAGE = /^packages\/core\/src\/(?!storage\/)(?!.*\.test\.ts$)/;
/**
 * Matches calls instead of imports, because code can start a query on `engine.read` without importing anything.
 */
const BEGINS_QUERY = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/g;

/** Returns a message for each query of core outside `storage`. Tests may contain queries. */
export function findQueryProblems(files: readonly SourceText[]): string[] {
  return files
    .filter(({ path }) => OUTSIDE_STORAGE.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(BEGINS_QUERY)].map(([call]) => `${path} calls ${call}): move the query to storage`),
    );
}
