/**
 * Validates the path of a mount point and removes its trailing slash. The root becomes an empty string.
 * @throws RangeError when `basePath` is not a path, because Affkit would then receive no requests
 */
export function normalizeBasePath(basePath = ''): string {
  if (basePath === '' || /^\/[^?#]*$/.test(basePath)) return basePath.replace(/(^|[^/])\/+$/, '$1');
  throw new RangeError(`basePath must be a path such as /affiliates, got ${JSON.stringify(basePath)}`);
}

/**
 * Removes the base path from the start of `path`.
 * @param base a result of `normalizeBasePath`
 * @returns the rest of the path, with a leading slash, or null when `path` is outside of `base`
 */
export function stripBasePath(base: string, path: string): string | null {
  if (!path.startsWith(base)) return null;
  const rest = path.slice(base.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : null;
}
