import { expect, test } from 'vitest';
import { linkPackage } from '../../../packages/node/test/packed-project.ts';
import { compile, makeApp, startApp } from './app.ts';
import { fileOf, filesOf } from './guide-files.ts';
import { useApp } from './use-app.ts';

test('the app from the Fastify guide compiles under strict TypeScript and records a chain of events', async () => {
  const files = filesOf('frameworks/fastify.md');
  expect(Object.keys(files)).toEqual(['affiliates.ts', 'server.ts']);
  const project = await makeApp({
    ...files,
    'affkit.ts': fileOf('frameworks.md', 'affkit.ts'),
    'shared/affiliates.ts': fileOf('frameworks.md', 'affiliates.ts'),
  });
  for (const name of ['fastify', '@fastify/cookie']) linkPackage(name, '../examples/frameworks', project);
  expect(await compile(project, ['server.ts', 'shared/affiliates.ts'])).toBe('');
  const app = await startApp(project, [process.execPath, 'server.ts']);
  await useApp(app);
  expect(await app.stop()).toBe(0);
});
