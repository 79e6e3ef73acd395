import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const guides = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides');

/** Files by their path in the app. */
export type Files = Readonly<Record<string, string>>;

/**
 * The files that a page shows: each code block whose first line is a comment that contains a path.
 * @param page path of the page below `docs/guides`
 */
export function filesOf(page: string): Files {
  const text = readFileSync(join(guides, page), 'utf8');
  const blocks = text.matchAll(/^```\w+\n(?:\/\/|#|<!--) ([^\s:]+\.\w+)(?: -->)?\n([\s\S]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, path = '', code = '']) => [path, code]));
}

/**
 * Returns a file that a page shows.
 * @throws Error if the page does not show the file
 */
export function fileOf(page: string, path: string): string {
  const code = filesOf(page)[path];
  if (code === undefined) throw new Error(`docs/guides/${page} must show the file ${path}`);
  return code;
}
