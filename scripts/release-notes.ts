import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Release, readRelease } from './release.ts';

/**
 * Returns the notes of a release: the sections of its version in the changelogs. Links to files become links to the
 * repository at the tag, because GitHub does not resolve relative links in the notes of a release.
 * @throws Error if no changelog describes the version
 */
export function writeReleaseNotes(root: string, release: Release): string {
  const changelogs = ['CHANGELOG.md', ...globSync('packages/*/CHANGELOG.md', { cwd: root }).sort()];
  const sections = changelogs.flatMap((path) => {
    const file = path.replaceAll(sep, '/');
    const section = findSection(readFileSync(join(root, path), 'utf8'), release.tag.slice(1));
    if (!section) return [];
    const title =
      file === 'CHANGELOG.md' ? [] : [`## ${file.replace(/^packages\/(.+)\/CHANGELOG\.md$/, '@affkit/$1')}`];
    return [...title, withAbsoluteLinks(section, file, release)];
  });
  if (sections.length === 0) throw new Error(`No changelog has a section "## ${release.tag.slice(1)}".`);
  return `${sections.join('\n\n')}\n`;
}

/** Finds the text below the heading `## version`. */
function findSection(changelog: string, version: string): string | null {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split('\n', 1)[0]?.trim() === version);
  return section === undefined ? null : section.slice(section.indexOf('\n')).trim();
}

function withAbsoluteLinks(text: string, file: string, { tag, repository }: Release): string {
  const base = new URL(`https://github.com/${repository}/blob/${tag}/${file}`);
  return text.replace(/\]\(([^)\s]+)\)/g, (_link, target: string) => `](${new URL(target, base).href})`);
}

if (import.meta.main) process.stdout.write(writeReleaseNotes(join(import.meta.dirname, '..'), readRelease()));
