/** A file's text, by its path from the root folder, with forward slashes. */
interface SourceText {
  readonly path: string;
  readonly text: string;
}

const OUTSIDE_STORAGE = /^packages\/core\/src\/(?!storage\/)(?!.*\.test\.ts$)/;
/** A query needs no import: whoever has an engine has its `read`. */
const BEGINS_QUERY = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/g;

/** One sentence for each query that core begins outside `storage`; tests may look for themselves. */
export function findQueryProblems(files: readonly SourceText[]): string[] {
  return files
    .filter(({ path }) => OUTSIDE_STORAGE.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(BEGINS_QUERY)].map(([call]) => `${path} calls ${call}): a query belongs in storage`),
    );
}
