import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

interface BuiltPage {
  readonly path: string;
  readonly ids: ReadonlySet<string>;
  readonly links: readonly string[];
  /** Addresses that a browser would load with the page. */
  readonly resources: readonly string[];
}

/**
 * Checks the pages as they were built, including the navigation.
 * @returns a message for each link without a target, and for each resource of another server
 */
export function findLinkProblems(folder: string, base: string): string[] {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `/${posix.relative(toPosix(folder), toPosix(join(entry.parentPath, entry.name)))}`);
  const paths = new Set(files);
  const pages = new Map(
    files
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, readPage(file, readFileSync(join(folder, file), 'utf8'))]),
  );
  return [...pages.values()].flatMap((page) => [
    ...page.resources
      .filter((url) => /^([a-z]+:)?\/\//i.test(url))
      .map((url) => `${page.path} loads ${url} from another server`),
    ...page.links.filter((link) => !isReachable(page, link)).map((link) => `${page.path} links to ${link}`),
  ]);

  function isReachable({ path }: BuiltPage, link: string): boolean {
    if (/^[a-z]+:/i.test(link)) return true;
    const { pathname, hash } = new URL(link, `http://localhost${base.replace(/\/$/, '')}${path}`);
    if (!pathname.startsWith(base)) return false;
    const target = decodeURI(`/${pathname.slice(base.length)}`);
    const file = [target, `${target}.html`, `${target}index.html`].find((candidate) => paths.has(candidate));
    if (file === undefined) return false;
    return hash === '' || (pages.get(file)?.ids.has(decodeURIComponent(hash.slice(1))) ?? false);
  }
}

function toPosix(path: string): string {
  return path.replaceAll('\\', '/');
}

const RESOURCES: Readonly<Record<string, string>> = {
  script: 'src',
  link: 'href',
  img: 'src',
  iframe: 'src',
  source: 'srcset',
};

function readPage(path: string, html: string): BuiltPage {
  const ids = new Set<string>();
  const links: string[] = [];
  const resources: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('attrs' in node) {
      const attribute = (name: string) => node.attrs.find((one) => one.name === name)?.value;
      const id = attribute('id');
      if (id !== undefined) ids.add(id);
      const href = attribute('href');
      if (node.tagName === 'a' && href !== undefined) links.push(href);
      const resource = attribute(RESOURCES[node.tagName] ?? '');
      if (resource !== undefined) resources.push(resource);
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html));
  return { path, ids, links, resources };
}
