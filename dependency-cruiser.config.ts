import type { IConfiguration, IForbiddenRuleType } from 'dependency-cruiser';

/**
 * Which code may import which: the arrows of docs/architecture.md. `npm run check` fails on any other import.
 *
 * Each table maps a package, layer or group to its permitted imports: `any` allows values and types, `types`
 * allows only `import type`.
 */

interface Allowed {
  readonly any: readonly string[];
  readonly types: readonly string[];
}

const PACKAGES: Readonly<Record<string, Allowed>> = {
  protocol: { any: [], types: [] },
  tracker: { any: [], types: ['protocol'] },
  node: { any: [], types: ['protocol'] },
  core: { any: ['protocol'], types: [] },
  dashboard: { any: [], types: [] },
  server: { any: ['core', 'dashboard', 'protocol', 'tracker'], types: [] },
  testing: { any: ['core', 'protocol'], types: [] },
};

/** Layers of core that most other layers may import. */
const FOUNDATION = ['rejection', 'domain', 'storage', 'access', 'telemetry'];
/** Layers of core, lowest first. Files directly in `src` that are not in this table may import all layers. */
const CORE_LAYERS: Readonly<Record<string, Allowed>> = {
  rejection: { any: [], types: [] },
  domain: { any: ['rejection'], types: [] },
  storage: { any: ['rejection', 'domain'], types: ['runtime'] },
  mail: { any: ['domain'], types: [] },
  'payout-provider': { any: ['domain', 'processor'], types: [] },
  captcha: { any: [], types: [] },
  telemetry: { any: [], types: ['storage'] },
  runtime: {
    any: [],
    types: ['domain', 'storage', 'mail', 'payout-provider', 'captcha', 'webhooks', 'telemetry'],
  },
  access: { any: ['rejection', 'domain', 'storage'], types: ['runtime'] },
  emails: { any: [...FOUNDATION, 'mail'], types: ['runtime'] },
  webhooks: { any: FOUNDATION, types: ['runtime'] },
  tracking: { any: [...FOUNDATION, 'webhooks'], types: ['runtime'] },
  reporting: { any: FOUNDATION, types: ['runtime'] },
  management: { any: [...FOUNDATION, 'emails', 'webhooks'], types: ['runtime'] },
  retention: { any: FOUNDATION, types: ['runtime'] },
  transfer: { any: [...FOUNDATION, 'reporting'], types: ['runtime'] },
  history: { any: [...FOUNDATION, 'management'], types: ['runtime'] },
  processor: { any: [...FOUNDATION, 'tracking'], types: ['runtime'] },
  jobs: {
    any: [
      ...FOUNDATION,
      'tracking',
      'management',
      'processor',
      'emails',
      'mail',
      'payout-provider',
      'webhooks',
    ],
    types: ['runtime'],
  },
  // A route that only lists rows needs no use case. It queries storage directly, so `http` may import storage.
  http: {
    any: [...FOUNDATION, 'tracking', 'reporting', 'management', 'processor', 'emails', 'webhooks'],
    types: ['runtime', 'captcha'],
  },
  adapters: { any: ['http'], types: ['index', 'create-affkit'] },
};

/**
 * Groups of storage, each with the groups that it may import. `sqlite.ts` and `postgres.ts` are in no group, because
 * they combine an engine (in `database`) with a click store (in `tracking`).
 */
const STORAGE_GROUPS: Readonly<Record<string, readonly string[]>> = {
  database: [],
  accounts: ['database'],
  tracking: ['database'],
  money: ['database', 'tracking'],
  stripe: ['database', 'tracking'],
  webhooks: ['database'],
  programs: ['database', 'tracking', 'money', 'stripe'],
  transfer: ['database', 'money'],
  reads: ['database', 'accounts', 'tracking', 'money', 'stripe', 'programs'],
};

const TEST = '\\.test\\.ts$';
const CORE = '^packages/core/src/';
const STORAGE = `${CORE}storage/`;
/** The pages of the dashboard, which run in browsers. `packages/dashboard/src` serves them. */
const DASHBOARD_APP = '^packages/dashboard/app/';
const anyOf = (names: readonly string[]) => `(${names.join('|')})`;
const srcOf = (name: string) => `^packages/${name}/src/`;
/** A layer is a folder, or a file directly in `src`. */
const layerPath = (names: readonly string[]) => `${CORE}${anyOf(names)}(/|\\.ts$)`;
const groupPath = (names: readonly string[]) => `${STORAGE}${anyOf(names)}/`;

interface ImportRules {
  readonly name: string;
  /** Path of the importing files. */
  readonly from: string;
  /** Imports of files outside this path are not checked. */
  readonly scope: string;
  readonly allowed: readonly string[];
  readonly allowedAsType: readonly string[];
}

/** Two rules: values may come only from `allowed`, and types also from `allowedAsType`. */
function arrows({ name, from, scope, allowed, allowedAsType }: ImportRules): IForbiddenRuleType[] {
  return [
    {
      name: `${name}-values`,
      severity: 'error',
      from: { path: from, pathNot: TEST },
      to: { path: scope, pathNot: [from, ...allowed], dependencyTypesNot: ['type-only'] },
    },
    {
      name: `${name}-types`,
      severity: 'error',
      from: { path: from, pathNot: TEST },
      to: { path: scope, pathNot: [from, ...allowed, ...allowedAsType], dependencyTypes: ['type-only'] },
    },
  ];
}

/** Rules that allow imports of an npm package only in one part of core: types in `types`, values in `values`. */
function onlyIn(module: string, types: string, values: string = types): IForbiddenRuleType[] {
  const to = { path: `(^|/)node_modules/${module}/` };
  return [
    { name: `${module}-types`, severity: 'error', from: { path: CORE, pathNot: [TEST, types] }, to },
    {
      name: `${module}-values`,
      severity: 'error',
      from: { path: CORE, pathNot: [TEST, values] },
      to: { ...to, dependencyTypesNot: ['type-only'] },
    },
  ];
}

const patterns = (names: readonly string[], toPath: (names: readonly string[]) => string) =>
  names.length === 0 ? [] : [toPath(names)];

const config: IConfiguration = {
  forbidden: [
    ...Object.entries(PACKAGES).flatMap(([name, { any, types }]) =>
      arrows({
        name: `package-${name}`,
        from: srcOf(name),
        scope: '^packages/',
        allowed: any.map(srcOf),
        allowedAsType: types.map(srcOf),
      }),
    ),
    ...arrows({
      name: 'dashboard-app',
      from: DASHBOARD_APP,
      scope: '^packages/',
      // `currency-exponent.ts` is a small table. The main entry of the protocol would add zod to the code for browsers.
      // The snippets are shared with `affkit init`.
      allowed: [`${srcOf('protocol')}currency-exponent\\.ts$`, `${srcOf('dashboard')}snippets\\.ts$`],
      allowedAsType: [srcOf('protocol')],
    }),
    ...Object.entries(CORE_LAYERS).flatMap(([name, { any, types }]) =>
      arrows({
        name: `core-${name}`,
        from: layerPath([name]),
        scope: CORE,
        allowed: patterns(any, layerPath),
        allowedAsType: patterns(types, layerPath),
      }),
    ),
    ...Object.entries(STORAGE_GROUPS).flatMap(([name, groups]) =>
      arrows({
        name: `storage-${name}`,
        from: groupPath([name]),
        scope: STORAGE,
        allowed: patterns(groups, groupPath),
        allowedAsType: [],
      }),
    ),
    {
      name: 'unknown-core-folder',
      severity: 'error',
      from: { path: `${CORE}[^/]+/`, pathNot: layerPath(Object.keys(CORE_LAYERS)) },
      to: {},
    },
    {
      name: 'unknown-storage-folder',
      severity: 'error',
      from: { path: `${STORAGE}[^/]+/`, pathNot: groupPath(Object.keys(STORAGE_GROUPS)) },
      to: {},
    },
    {
      name: 'unknown-package',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: Object.keys(PACKAGES).map(srcOf) },
      to: {},
    },
    {
      name: 'http-opens-no-engine',
      severity: 'error',
      from: { path: `${CORE}http/`, pathNot: TEST },
      to: { path: `${STORAGE}(database/engine/|sqlite|postgres)`, dependencyTypesNot: ['type-only'] },
    },
    ...onlyIn('kysely', STORAGE),
    ...onlyIn('pg', STORAGE, `${STORAGE}database/engine/postgres`),
    ...onlyIn('better-sqlite3', STORAGE, `${STORAGE}database/engine/sqlite`),
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: `${CORE}domain/`, pathNot: TEST },
      to: {
        pathNot: [CORE, srcOf('protocol'), '(^|/)node_modules/tldts/', '^(crypto|zlib)$'],
      },
    },
    {
      name: 'runs-without-node',
      comment:
        'The tracker and the dashboard run in browsers, and the protocol runs everywhere, so they cannot import modules of Node.',
      severity: 'error',
      from: { path: ['^packages/(protocol|tracker)/src/', DASHBOARD_APP], pathNot: TEST },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'package-by-name',
      comment: 'Packages import each other by name. Only test tools in a `test` folder are imported by path.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/test/'],
        dependencyTypes: ['local'],
      },
    },
    {
      name: 'ships-no-test',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: TEST },
      to: { path: [TEST, '^packages/[^/]+/(test|scripts)/', '^(scripts|examples|bench)/'] },
    },
    {
      name: 'runtime-dependency',
      comment:
        'A package that is imported at run time must be in the `dependencies` or `peerDependencies` of the importing package.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: TEST },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        dependencyTypesNot: ['type-only', 'npm', 'npm-peer', 'npm-optional'],
      },
    },
    { name: 'no-circle', severity: 'error', from: { pathNot: TEST }, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)dist/', '^examples/frameworks/apps/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@affkit/source', 'types', 'import', 'node', 'default'],
    },
  },
};

export default config;
