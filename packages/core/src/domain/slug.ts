const MAX_LENGTH = 64;

/** A name as a slug: lower-case letters, digits and inner hyphens; `fallback` where nothing of it is left. */
export function toSlug(name: string, fallback: string, maxLength: number = MAX_LENGTH): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? fallback : slug;
}
