import type { LazyPage } from './lazy-page.tsx';

/** Pages by their path. The first path that matches is used. */
export type PageTable<View> = readonly (readonly [path: string, page: LazyPage<object, View>])[];

/** The page of a path. `:name` in the table stands for one segment. */
export function pageAt<View>(pages: PageTable<View>, path: string): LazyPage<object, View> | undefined {
  const segments = path.split('/').filter(Boolean);
  const isMatch = (pattern: string) => {
    const expected = pattern.split('/').filter(Boolean);
    return (
      expected.length === segments.length &&
      expected.every((name, index) => name.startsWith(':') || name === segments[index])
    );
  };
  return pages.find(([pattern]) => isMatch(pattern))?.[1];
}
