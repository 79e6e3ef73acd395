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

/** A release on GitHub. */
export interface Release {
  /** Such as `v0.1.0`. */
  readonly tag: string;
  /** Such as `owner/name`. */
  readonly repository: string;
}

/** Reads the tag and repository from the environment of a workflow. @throws Error outside of a workflow */
export function readRelease(): Release {
  const { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: repository } = process.env;
  if (tag && repository) return { tag, repository };
  throw new Error('GITHUB_REF_NAME must be the tag of the release, and GITHUB_REPOSITORY its owner/name.');
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

/** Returns a message for each package whose version differs from the version in the tag, such as `v0.1.0`. */
function findTagProblems(tag: string, packages: readonly Package[]): string[] {
  return packages
    .filter(({ manifest }) => tag !== `v${manifest.version}`)
    .map(({ manifest }) => `The tag is ${tag}, but the version of ${manifest.name} is ${manifest.version}.`);
}

/**
 * Adds the repository to the manifest. npm compares this field with the provenance, and needs it to resolve relative
 * links in the README. The manifests in the sources have no repository, so that the packages of a fork name the fork.
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

/** Prepares the manifests of the checkout for `changeset publish`. @throws Error if a version does not match the tag */
export function prepareRelease(root: string, { tag, repository }: Release): void {
  const packages = readPackages(root);
  const problems = findTagProblems(tag, packages);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  for (const entry of packages) {
    const manifest = withRepository(entry, repository);
    writeFileSync(join(root, entry.folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

/** The files that contain a version of the container image. */
export const IMAGE_FILES: readonly string[] = [
  'deploy/compose/compose.yaml',
  'deploy/kubernetes/kustomization.yaml',
  'docs/guides/containers.md',
];

/** Matches a version of the container image: after `affkit:`, or after `newTag:` in the kustomization. */
const IMAGE_VERSION = /(\baffkit:|\bnewTag: )\d[\w.-]*/g;

/** Writes the version of the packages into the files that contain a version of the container image. */
export function writeImageVersion(root: string): void {
  const [first] = readPackages(root);
  if (!first) throw new Error('There is no package');
  for (const path of IMAGE_FILES) {
    const text = readFileSync(join(root, path), 'utf8');
    writeFileSync(join(root, path), text.replace(IMAGE_VERSION, `$1${first.manifest.version}`));
  }
}
