import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { NAVIGATION } from './navigation.ts';

/** The folder of the repository. It is the source folder of the site, so that no page is copied. */
export const ROOT = join(import.meta.dirname, '..', '..');

const SOURCES = [
  '*.md',
  'docs/**/*.md',
  'packages/*/README.md',
  'examples/*/README.md',
  'deploy/**/README.md',
  'site/{pages,reference}/*.md',
];

/** Paths on the site that do not follow from the path of the file. */
const PATHS: Readonly<Record<string, string>> = {
  'README.md': 'introduction.md',
  'docs/README.md': 'pages.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting-vulnerabilities.md',
};

/** Returns the path on the site for the file of each page. Files and paths are relative, and end with `.md`. */
export function listPages(): ReadonlyMap<string, string> {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: (name) => name === 'node_modules' });
  return new Map(
    files
      .map((file) => file.replaceAll('\\', '/'))
      .sort()
      .map((file) => [file, sitePathOf(file)]),
  );
}

function sitePathOf(file: string): string {
  return PATHS[file] ?? file.replace(/^docs\/|^site\/pages\/|^site\//, '').replace(/\/README\.md$/, '.md');
}

/** Markdown files that are not pages. VitePress would otherwise build every Markdown file of the repository. */
export function listOtherMarkdown(pages: ReadonlyMap<string, string>): string[] {
  const ignored = (name: string) => name === 'node_modules' || name === 'dist';
  return globSync('**/*.md', { cwd: ROOT, exclude: ignored })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !pages.has(file))
    .concat('**/.*/**');
}

/** Returns the sidebar. A page that is missing in the navigation is added to its last group. */
export function sidebar(pages: ReadonlyMap<string, string>): DefaultTheme.SidebarItem[] {
  const listed = new Set(Object.values(NAVIGATION).flatMap((group) => Object.keys(group)));
  const isUnlisted = (file: string) => !listed.has(file) && !file.startsWith('site/');
  const unlisted = [...pages.keys()].filter(isUnlisted).map((file) => [file, undefined] as const);
  const groups = Object.entries(NAVIGATION);
  return groups.map(([text, group], index) => ({
    text,
    collapsed: index > 2,
    items: [...Object.entries(group), ...(index === groups.length - 1 ? unlisted : [])].map(
      ([file, title]) => ({ text: title ?? titleOf(file), link: linkTo(pages, file) }),
    ),
  }));
}

function linkTo(pages: ReadonlyMap<string, string>, file: string): string {
  const page = pages.get(file);
  if (page === undefined) throw new Error(`The navigation names ${file}, which is not a page`);
  return `/${page.replace(/\.md$/, '')}`;
}

/** The first heading of a page. */
function titleOf(file: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
  if (title === undefined) throw new Error(`${file} has no heading`);
  return title.replaceAll('`', '');
}
