import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

/** A manifest of a published package. `folder` is its path in the repository. */
interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Returns the packages that a release publishes, sorted by folder. */
function readPackages(root: string): Package[] {
  return globSync('packages/*/package.json', { cwd: root })
    .sort()
    .map((path) => ({
      folder: dirname(path).split(sep).join('/'),
      manifest: JSON.parse(readFileSync(join(root, path), 'utf8')),
    }));
}

/** Returns a message for each package whose version is not the version of the release's tag, such as `v0.1.0`. */
function findTagProblems(tag: string, packages: readonly Package[]): string[] {
  return packages
    .filter(({ manifest }) => tag !== `v${manifest.version}`)
    .map(({ manifest }) => `The tag is ${tag}, but the version of ${manifest.name} is ${manifest.version}.`);
}

/**
 * Returns the manifest with the repository, which npm compares with the provenance, and against which it resolves the
 * relative links of the README. The sources do not contain it, so that a fork publishes its own.
 * @param repository such as `owner/name`
 */
function withRepository({ folder, manifest }: Package, repository: string): Manifest {
  const url = `https://github.com/${repository}`;
  return {
    ...manifest,
    repository: { type: 'git', url: `git+${url}.git`, directory: folder },
    homepage: `${url}/tree/HEAD/${folder}#readme`,
    bugs: `${url}/issues`,
  };
}

/** Prepares the manifests of the checkout for `changeset publish`. @throws Error if the tag has another version */
export function prepareRelease(
  root: string,
  { tag, repository }: { readonly tag: string; readonly repository: string },
): void {
  const packages = readPackages(root);
  const problems = findTagProblems(tag, packages);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  for (const entry of packages) {
    const manifest = withRepository(entry, repository);
    writeFileSync(join(root, entry.folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
}
