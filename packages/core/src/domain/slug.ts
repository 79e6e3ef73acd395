const DEFAULT_MAX_SLUG_LENGTH = 64;

/**
 * Turns a name into a slug of lower-case ASCII letters, digits and hyphens. A slug does not begin or end with a
 * hyphen. Returns `fallback` when the name has none of these characters.
 */
export function toSlug(name: string, fallback: string, maxLength: number = DEFAULT_MAX_SLUG_LENGTH): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-|-$/g, '');
  return slug === '' ? fallback : slug;
}
