import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { findWorkflowProblems } from './workflows.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
const repository = {
  scripts: Object.keys(scripts),
  hasFile: (path: string) => existsSync(join(root, path)),
};
const PINNED = `actions/checkout@${'a'.repeat(40)}`;

const problemsOf = (job: string) =>
  findWorkflowProblems(
    parse(`{ name: Test, on: { push: null }, permissions: {}, jobs: { one: { ${job} } } }`),
    repository,
  );

test.each([
  [`timeout-minutes: 5, steps: [{ uses: '${PINNED}' }, { run: npm run build }, { run: npm test }]`, []],
  [`uses: ./package.json`, []],
  [
    `timeout-minutes: 5, steps: [{ uses: actions/checkout@v7 }]`,
    ['one uses actions/checkout@v7, which is not pinned by the hash of a commit'],
  ],
  [`uses: ./.github/workflows/no.yml`, ['one uses ./.github/workflows/no.yml, which does not exist']],
  [
    `timeout-minutes: 5, steps: [{ run: npm run tset }]`,
    ['one runs the npm script tset, which does not exist'],
  ],
  [
    `timeout-minutes: 5, steps: [{ uses: '${PINNED}', with: { script: npm run tset } }]`,
    ['one runs the npm script tset, which does not exist'],
  ],
  [
    `timeout-minutes: 5, steps: [{ run: node scripts/run.mjs tset }]`,
    ['one runs the npm script tset, which does not exist'],
  ],
  [`timeout-minutes: 5, needs: [two]`, ['one needs the job two, which does not exist']],
  [`steps: []`, ['one has no timeout']],
])('finds the problems of the job { %s }', (job, problems) => {
  expect(problemsOf(job)).toEqual(problems);
});

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).sort();

test('there are workflows for the site, tests, versions and releases', () => {
  expect(workflows.map((path) => path.replace(/^.*[/\\]/, ''))).toEqual([
    'docs.yml',
    'release.yml',
    'test.yml',
    'version.yml',
  ]);
});

test.each(workflows)('%s is valid, and pins each action by the hash of a commit', (path) => {
  expect(findWorkflowProblems(parse(read(path)), repository)).toEqual([]);
});

describe('the release', () => {
  const { on, jobs } = parse(read('.github/workflows/release.yml'));

  test('publishes a tag only after all tests have passed', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(jobs.test.uses).toBe('./.github/workflows/test.yml');
    expect([jobs.publish.needs, jobs.notes.needs]).toEqual(['test', 'publish']);
  });

  test('gives the token for the provenance only to the job that publishes', () => {
    const withToken = Object.keys(jobs).filter((name) => jobs[name].permissions['id-token'] !== undefined);
    expect(withToken).toEqual(['publish']);
  });
});

/** The fields that GitHub requires of an issue form. */
const issueForm = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
        z.strictObject({
          type: z.enum(['textarea', 'input', 'dropdown']),
          id: z.string().regex(/^[\w-]+$/),
          attributes: z.strictObject({
            label: z.string(),
            description: z.string().optional(),
            options: z.array(z.string()).optional(),
          }),
          validations: z.strictObject({ required: z.boolean() }).optional(),
        }),
      ]),
    )
    .min(1),
});

test.each(
  globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).filter((path) => !path.endsWith('config.yml')),
)('the form %s has the fields that GitHub requires', (path) => {
  const { body } = issueForm.parse(parse(read(path)));
  const fields = body.filter((field) => field.type !== 'markdown');
  expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
  for (const { type, attributes } of fields)
    expect(attributes.options !== undefined).toBe(type === 'dropdown');
});

test('every other settings file of the repository can be parsed', () => {
  const json = globSync(['.devcontainer/*.json', '.vscode/*.json', '.changeset/*.json'], { cwd: root });
  const yaml = globSync('.github/*.yml', { cwd: root });
  expect([json.length, yaml.length]).toEqual([4, 2]);
  for (const path of json) expect(JSON.parse(read(path))).toBeTypeOf('object');
  for (const path of yaml) expect(parse(read(path))).toBeTypeOf('object');
});

test('CODEOWNERS contains only comments, so it names no person', () => {
  const lines = read('.github/CODEOWNERS').split('\n');
  expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
});

test('the image of the development container has the same Node major version as the workspace', () => {
  const [, major] = /^ {2}node: \^(\d+)/m.exec(read('pnpm-workspace.yaml')) ?? [];
  expect(JSON.parse(read('.devcontainer/devcontainer.json')).image).toBe(`node:${major}-trixie`);
});
