import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Fields from the package.json of an installed package. Missing fields are undefined. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** The license as an SPDX expression, even if the manifest uses one of the two older forms of the field. */
  readonly license: string | undefined;
  readonly nodeRange: string | undefined;
  /** The names of its optional dependencies, most of which are programs for one platform. */
  readonly optionalNames: readonly string[];
}

/** The fields of a package.json that are read here. */
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly license?: string | { readonly type?: string };
  readonly licenses?: readonly { readonly type?: string }[];
  readonly engines?: { readonly node?: string } | readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Returns every installed package of a workspace once, except private packages. It resolves dependencies from the
 * manifests as Node does. `production` includes the published packages and the dependencies that their users install.
 * `all` adds the dependencies of the examples, the bench, the site, and the root, and all development dependencies of
 * the workspace.
 *
 * @throws {Error} if a required dependency is not installed
 */
export function readInstalled(root: string, tree: 'production' | 'all'): InstalledPackage[] {
  const patterns =
    tree === 'production' ? ['packages/*'] : ['.', 'packages/*', 'examples/*', 'bench', 'site'];
  const folders = globSync(
    patterns.map((pattern) => join(pattern, 'package.json')),
    { cwd: root },
  ).map((manifest) => realpathSync(join(root, dirname(manifest))));
  const workspace = new Set(folders);
  const seen = new Set(folders);
  const queue = [...folders];
  const found: InstalledPackage[] = [];
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    const manifest = readManifest(folder);
    if (!manifest.private) found.push(describe(manifest, folder));
    for (const dependency of dependenciesOf(manifest, tree === 'all' && workspace.has(folder), folder)) {
      if (!seen.has(dependency)) {
        seen.add(dependency);
        queue.push(dependency);
      }
    }
  }
  return found.sort((one, other) => one.name.localeCompare(other.name));
}

function dependenciesOf(manifest: Manifest, withDevelopment: boolean, folder: string): string[] {
  const optional = new Set(Object.keys({ ...manifest.optionalDependencies, ...manifest.peerDependencies }));
  const names = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...optional,
    ...(withDevelopment ? Object.keys(manifest.devDependencies ?? {}) : []),
  ]);
  return [...names].flatMap((name) => {
    const resolved = resolveFrom(folder, name);
    if (resolved === undefined && !optional.has(name)) {
      throw new Error(`${manifest.name} in ${folder} requires ${name}, which is not installed`);
    }
    return resolved === undefined ? [] : [resolved];
  });
}

function resolveFrom(folder: string, name: string): string | undefined {
  for (let parent = folder; ; parent = dirname(parent)) {
    const candidate = join(parent, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (parent === dirname(parent)) return undefined;
  }
}

function readManifest(folder: string): Manifest {
  // Only the fields of Manifest are read, and each is checked where it is used.
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function describe(manifest: Manifest, folder: string): InstalledPackage {
  const { license, licenses, engines, optionalDependencies = {} } = manifest;
  const alternatives = licenses?.map((license) => license.type ?? '').join(' OR ');
  return {
    name: manifest.name ?? folder,
    version: manifest.version ?? '0.0.0',
    license: (typeof license === 'string' ? license : license?.type) ?? alternatives,
    nodeRange: engines !== undefined && 'node' in engines ? engines.node : undefined,
    optionalNames: Object.keys(optionalDependencies),
  };
}
