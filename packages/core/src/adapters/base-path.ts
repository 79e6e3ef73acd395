/** The part of `path` below `basePath`, or null when it lies elsewhere. */
export function pathBelow(basePath: string | undefined, path: string): string | null {
  const base = basePath?.replace(/\/+$/, '') ?? '';
  if (!path.startsWith(base)) return null;
  const below = path.slice(base.length);
  if (below.startsWith('/')) return below;
  return below === '' || below.startsWith('?') ? `/${below}` : null;
}
