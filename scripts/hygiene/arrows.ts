import { posix } from 'node:path';
import type { Import } from './imports.ts';

/** A file by its path from the root folder, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly imports: readonly Import[];
}

/** The packages that a workspace package has at run time, by its folder under `packages`. */
export type RuntimeDependencies = Readonly<Record<string, readonly string[]>>;

interface Arrows {
  /** May be imported, types and values. */
  readonly any: readonly string[];
  /** May be imported as types alone. */
  readonly types: readonly string[];
}

const SCOPE = '@affkit/';

const PACKAGES: Readonly<Record<string, Arrows>> = {
  protocol: { any: [], types: [] },
  tracker: { any: [], types: ['protocol'] },
  node: { any: [], types: ['protocol'] },
  core: { any: ['protocol'], types: [] },
  server: { any: ['core', 'protocol', 'tracker'], types: [] },
  testing: { any: ['core', 'protocol'], types: [] },
};

/** These run where Node's modules are missing. */
const WITHOUT_NODE_MODULES = ['protocol', 'tracker'];

/** What a use case of core stands on. */
const FOUNDATION = ['rejection', 'domain', 'storage', 'access'];

/**
 * The layers of core, lowest first: its folders, and of the files beside them `rejection.ts` and `runtime.ts`;
 * `root` stands for the other files there, which put the parts together.
 */
const CORE_LAYERS: Readonly<Record<string, Arrows>> = {
  rejection: { any: [], types: [] },
  domain: { any: ['rejection'], types: [] },
  storage: { any: ['rejection', 'domain'], types: ['runtime'] },
  runtime: { any: [], types: ['domain', 'storage'] },
  access: { any: ['rejection', 'domain', 'storage'], types: ['runtime'] },
  tracking: { any: FOUNDATION, types: ['runtime'] },
  reporting: { any: FOUNDATION, types: ['runtime'] },
  management: { any: FOUNDATION, types: ['runtime'] },
  processor: { any: [...FOUNDATION, 'tracking'], types: ['runtime'] },
  jobs: { any: [...FOUNDATION, 'tracking', 'processor'], types: ['runtime'] },
  http: {
    // A plain list has no rule that a use case could hold: its route asks storage itself.
    any: [...FOUNDATION, 'tracking', 'reporting', 'management', 'processor'],
    types: ['runtime'],
  },
  adapters: { any: ['http'], types: ['root'] },
};

/** The groups of storage, and which others each may import. Files beside the groups put them together. */
const STORAGE_GROUPS: Readonly<Record<string, readonly string[]>> = {
  database: [],
  accounts: ['database'],
  tracking: ['database'],
  money: ['database', 'tracking'],
  stripe: ['database', 'tracking'],
  programs: ['database', 'tracking', 'money', 'stripe'],
  reads: ['database', 'tracking', 'money', 'stripe', 'programs', 'accounts'],
};

/** What the pure part of core may use of others: no I/O, no SQL, no clock. */
const DOMAIN_MODULES = ['@affkit/protocol', 'tldts', 'node:crypto', 'node:zlib'];

/** Where in core these are known; their values only where the second path begins. */
const DATABASE_MODULES: Readonly<Record<string, readonly [types: string, values: string]>> = {
  kysely: ['storage/', 'storage/'],
  pg: ['storage/', 'storage/database/engine/postgres'],
  'better-sqlite3': ['storage/', 'storage/database/engine/sqlite'],
};

/**
 * One sentence for each import against the arrows of the architecture. Tests may import what they need, and tests,
 * bench and examples the tools in another package's `test` folder.
 */
export function findArrowProblems(
  files: readonly SourceFile[],
  runtimeDependencies: RuntimeDependencies,
): string[] {
  return files.flatMap((file) =>
    file.imports.flatMap((imported) => {
      const reason = imported.specifier.startsWith('.')
        ? judgeRelative(file.path, imported)
        : judgeModule(file.path, imported, runtimeDependencies);
      return reason === undefined ? [] : [`${file.path} imports ${imported.specifier}: ${reason}`];
    }),
  );
}

function judgeRelative(path: string, { specifier, isTypeOnly }: Import): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  const from = locate(path);
  const to = locate(target);
  if (from?.package !== to?.package) {
    const isTestTool = to?.isTest === true && to.inSource === '' && /\/test\//.test(target);
    const ships = from !== undefined && !from.isTest;
    return isTestTool && !ships ? undefined : 'another package is imported by its name';
  }
  if (from === undefined || to === undefined || from.isTest) return undefined;
  if (!to.inSource)
    return target.endsWith('package.json') ? undefined : 'what ships imports nothing outside src';
  if (to.isTest) return 'what ships imports no test';
  if (from.package !== 'core') return undefined;

  const [layer, imported] = [layerOf(from.inSource), layerOf(to.inSource)];
  if (layer === 'storage' && imported === 'storage') return judgeStorageGroups(from.inSource, to.inSource);
  if (layer === imported || layer === 'root') return undefined;
  const arrows = CORE_LAYERS[layer];
  if (arrows === undefined) return `core/src/${layer} is no layer of the architecture`;
  if (layer === 'http' && to.inSource.startsWith('storage/database/engine/') && !isTypeOnly) {
    return 'http may import only types of storage/database/engine';
  }
  return judgeArrow(layer, imported, arrows, isTypeOnly);
}

function judgeStorageGroups(from: string, to: string): string | undefined {
  const group = from.split('/').length > 2 ? from.split('/')[1] : undefined;
  const imported = to.split('/').length > 2 ? to.split('/')[1] : undefined;
  if (group === undefined || group === imported) return undefined;
  const allowed = STORAGE_GROUPS[group];
  if (allowed === undefined) return `core/src/storage/${group} is not a group of the architecture`;
  if (imported !== undefined && allowed.includes(imported)) return undefined;
  return `storage/${group} may not import storage/${imported ?? ''}`;
}

function judgeModule(
  path: string,
  { specifier, isTypeOnly }: Import,
  runtimeDependencies: RuntimeDependencies,
): string | undefined {
  const from = locate(path);
  if (from === undefined || from.isTest) return undefined;
  if (specifier.startsWith('node:')) {
    if (WITHOUT_NODE_MODULES.includes(from.package)) return `${from.package} runs without Node's modules`;
  }
  const module = moduleOf(specifier);
  if (module.startsWith(SCOPE)) {
    const arrows = PACKAGES[from.package];
    if (arrows === undefined) return `${from.package} is no package of the architecture`;
    const reason = judgeArrow(from.package, module.slice(SCOPE.length), arrows, isTypeOnly);
    if (reason !== undefined) return reason;
  }
  if (from.package === 'core') {
    const reason = judgeCoreModule(from.inSource, module, isTypeOnly);
    if (reason !== undefined) return reason;
  }
  const isThere =
    isTypeOnly || module.startsWith('node:') || runtimeDependencies[from.package]?.includes(module);
  return isThere ? undefined : `${module} is no run-time dependency of ${from.package}`;
}

function judgeCoreModule(inSource: string, module: string, isTypeOnly: boolean): string | undefined {
  if (layerOf(inSource) === 'domain' && !DOMAIN_MODULES.includes(module)) return 'domain is pure';
  const places = DATABASE_MODULES[module];
  if (places === undefined) return undefined;
  const place = isTypeOnly ? places[0] : places[1];
  return inSource.startsWith(place) ? undefined : `in core ${module} is known to ${place} alone`;
}

function judgeArrow(from: string, to: string, arrows: Arrows, isTypeOnly: boolean): string | undefined {
  if (arrows.any.includes(to)) return undefined;
  if (!arrows.types.includes(to)) return `${from} may not import ${to}`;
  return isTypeOnly ? undefined : `${from} may import only types of ${to}`;
}

interface Location {
  readonly package: string;
  readonly isTest: boolean;
  /** The path under `src`; empty outside it. */
  readonly inSource: string;
}

function locate(path: string): Location | undefined {
  const [, name, rest] = /^packages\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  const inSource = rest.startsWith('src/') ? rest.slice('src/'.length) : '';
  return { package: name, isTest: inSource === '' || /\.test\.ts$/.test(rest), inSource };
}

function layerOf(inSource: string): string {
  const slash = inSource.indexOf('/');
  if (slash !== -1) return inSource.slice(0, slash);
  const name = posix.basename(inSource, '.ts');
  return name in CORE_LAYERS ? name : 'root';
}

function moduleOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
