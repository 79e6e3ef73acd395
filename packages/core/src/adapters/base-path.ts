/**
 * A mount point without the slash at its end; that of the root is empty.
 * @throws RangeError where it is no path, for no request would ever lie below it
 */
export function readBasePath(basePath = ''): string {
  if (basePath === '' || /^\/[^?#]*$/.test(basePath)) return basePath.replace(/\/+$/, '');
  throw new RangeError(`basePath must be a path such as /affiliates, but is ${JSON.stringify(basePath)}`);
}

/** The part of `path` below `base`, as `readBasePath` gives it, or null when it lies elsewhere. */
export function pathBelow(base: string, path: string): string | null {
  if (!path.startsWith(base)) return null;
  const below = path.slice(base.length);
  if (below.startsWith('/')) return below;
  return below === '' || below.startsWith('?') ? `/${below}` : null;
}
