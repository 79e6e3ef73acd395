import { existsSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { ROOT } from './pages.ts';

interface LinkOptions {
  /** The path of each page on the site. The key is the page's file. */
  readonly pages: ReadonlyMap<string, string>;
  /** The address of the repository. Without it, links to files that are not pages become plain text. */
  readonly repositoryUrl: string | undefined;
}

/**
 * Replaces relative links, which are written for GitHub, by paths on the site. Links to files that are not pages, such
 * as source code, lead to the repository. The build fails if the target does not exist.
 */
export function linkPlugin(md: MarkdownRenderer, options: LinkOptions): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    // If VitePress has rewritten the path of the page, `path` is the new path, and `realPath` is the file.
    const file: string | undefined = env.realPath ?? env.path;
    // VitePress also renders the title of a page separately, without a path.
    if (file === undefined) return;
    const source = relative(ROOT, file).replaceAll('\\', '/');
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
      const target = resolveLink(source, href, options);
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'href');
      if (target !== undefined) token.attrPush(['href', target]);
    }
  });
}

/** @returns undefined if the target is not a page, and the repository has no address */
export function resolveLink(source: string, href: string, options: LinkOptions): string | undefined {
  const [path = '', fragment] = href.split('#', 2);
  const file = posix.join(posix.dirname(source), path).replace(/\/$/, '');
  const suffix = fragment === undefined ? '' : `#${fragment}`;
  const page = options.pages.get(file);
  if (page !== undefined) return `/${page.replace(/(^|\/)index\.md$|\.md$/, '$1')}${suffix}`;
  if (!existsSync(join(ROOT, file))) throw new Error(`${source} links to ${href}, which does not exist`);
  if (options.repositoryUrl === undefined) return undefined;
  const kind = statSync(join(ROOT, file)).isDirectory() ? 'tree' : 'blob';
  return `${options.repositoryUrl}/${kind}/HEAD/${file}${suffix}`;
}
