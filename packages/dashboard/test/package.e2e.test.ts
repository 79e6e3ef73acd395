import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPacked, makeProject, type Packed } from '../../node/test/packed-project.ts';

const run = promisify(execFile);

let folder = '';
let project = '';
let packed: Packed;

beforeAll(async () => {
  ({ folder, project } = makeProject());
  packed = await installPacked('dashboard', project);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package contains the build without tests, and has no dependencies', () => {
  const others = packed.files.filter((path) => !/^(package\.json|README\.md|LICENSE|dist\/)/.test(path));
  expect([others, packed.files.filter((path) => path.includes('.test.'))]).toEqual([[], []]);
  expect(packed.files).toContain('dist/app/manifest.json');
  expect(packed.manifest.dependencies).toBeUndefined();
});

test('the packed dashboard serves its page, and every file that the page names', async () => {
  const program = `
    import { fetchDashboard } from '@affkit/dashboard/fetch';
    import { readFiles } from '@affkit/dashboard/files';
    const dashboard = fetchDashboard({ basePath: '/affiliates/app' });
    const get = (path) => dashboard(new Request('http://shop.example' + path));
    const html = await get('/affiliates/app/p/1').text();
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    const assets = named.filter((path) => path.startsWith('/affiliates/app/assets/'));
    console.log(JSON.stringify({
      left: html.includes('__AFFKIT_'),
      assets,
      statuses: assets.map((path) => get(path).status),
      outside: named.filter((path) => !assets.includes(path)),
      files: readFiles().length,
    }));
  `;
  const file = join(project, 'serve.mjs');
  writeFileSync(file, program);
  const served = JSON.parse((await run(process.execPath, [file])).stdout);
  const { left, assets, outside } = served;
  expect(left).toBe(false);
  // The page also preloads two replies of the API, which the dashboard does not serve.
  expect(outside).toEqual([
    '/affiliates/api/auth/me',
    '/affiliates/api/advertiser/affiliate-programs?pageSize=100',
  ]);
  expect(assets.length).toBeGreaterThan(2);
  expect(new Set(served.statuses)).toEqual(new Set([200]));
  expect(served.files).toBeGreaterThan(assets.length);
});
