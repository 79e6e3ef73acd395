import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export interface CodeBlock {
  /** The path of the page, and the line of the block. */
  readonly name: string;
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

/** The code blocks of the pages in `docs`, in the order of the pages and lines. A block in a list is indented. */
export function listCodeBlocks(languages: readonly string[]): CodeBlock[] {
  return globSync('docs/**/*.md', { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .flatMap(blocksOf)
    .filter(({ language }) => languages.includes(language));
}

function blocksOf(page: string): CodeBlock[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```/gm)].map((match) => {
    const [, indent = '', language = '', code = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    return {
      name: `${page}:${line}`,
      page,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}
