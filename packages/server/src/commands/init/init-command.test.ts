import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../core/test/support/make-temp-folder.ts';
import { captureCommand, runHere } from '../../../test/run-cli.ts';
import { type InitOptions, runInit } from './init-command.ts';

type Files = Readonly<Record<string, string>>;

const URL_OF_SERVER = 'https://track.example';
const TAG = `<script async src="${URL_OF_SERVER}/js/affkit.js" data-program="7"></script>`;
const ENVIRONMENT = `AFFKIT_BASE_URL=${URL_OF_SERVER}\nAFFKIT_TOKEN=\n`;
const CLIENT = `import { Affkit } from '@affkit/node';

// Reads AFFKIT_TOKEN and AFFKIT_BASE_URL.
export const affkit = new Affkit();
`;
const packageJson = (...dependencies: string[]) =>
  JSON.stringify({ type: 'module', dependencies: Object.fromEntries(dependencies.map((one) => [one, '*'])) });
const page = (end = '\n') =>
  ['<html>', '  <head>', '    <title>Shop</title>', '  </head>', '</html>', ''].join(end);
const pageWithTag = (end = '\n') => page(end).replace('  </head>', `    ${TAG}${end}  </head>`);

function makeApp(files: Files): string {
  const folder = makeTempFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

function readApp(folder: string): Files {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes('.git'),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

const init = (folder: string, options: Partial<InitOptions> = {}, answer?: boolean, json = false) =>
  captureCommand(
    (output) =>
      runInit(
        {
          folder,
          framework: null,
          serverUrl: URL_OF_SERVER,
          programId: 7,
          yes: false,
          dryRun: false,
          ...options,
        },
        answer === undefined ? undefined : async () => answer,
        output,
      ),
    { json },
  );

const LAYOUT = `export default function Layout({ children }) {
  return (
    <html>
      <body>
        {children}
      </body>
    </html>
  );
}
`;

/** For each framework, the files of an app, and the files that the command changes or creates. */
const apps: Readonly<Record<string, readonly [before: Files, written: Files]>> = {
  next: [
    { 'package.json': packageJson('next', 'react'), 'tsconfig.json': '{}', 'src/app/layout.tsx': LAYOUT },
    {
      'src/app/layout.tsx': `import { Tracking } from './tracking';\n${LAYOUT.replace('      </body>', '        <Tracking />\n      </body>')}`,
      'src/app/tracking.tsx': `'use client';
import { AffkitTracker } from '@affkit/tracker/react';

export const Tracking = () => (
  <AffkitTracker baseUrl="${URL_OF_SERVER}" program={7} />
);
`,
      'src/lib/affkit.ts': CLIENT,
      '.env.local': ENVIRONMENT,
    },
  ],
  react: [
    { 'package.json': packageJson('react', 'vite'), 'index.html': page() },
    { 'index.html': pageWithTag() },
  ],
  nuxt: [
    { 'package.json': packageJson('nuxt'), 'tsconfig.json': '{}', 'app/app.vue': '' },
    {
      'app/plugins/affkit.client.ts': `import { createTracker } from '@affkit/tracker';

export const tracker = createTracker({
  baseUrl: '${URL_OF_SERVER}',
  program: 7,
});

export default defineNuxtPlugin(() => ({ provide: { tracker } }));
`,
      'server/utils/affkit.ts': CLIENT,
      '.env': ENVIRONMENT,
    },
  ],
  sveltekit: [
    { 'package.json': packageJson('@sveltejs/kit'), 'src/app.html': page() },
    { 'src/app.html': pageWithTag(), 'src/lib/server/affkit.js': CLIENT, '.env': ENVIRONMENT },
  ],
  'react-router': [
    {
      'package.json': packageJson('react', '@react-router/dev'),
      'app/root.tsx': page(),
      'tsconfig.json': '',
    },
    { 'app/root.tsx': pageWithTag(), 'app/lib/affkit.ts': CLIENT, '.env': ENVIRONMENT },
  ],
  express: [
    {
      'package.json': JSON.stringify({ dependencies: { express: '*' } }),
      'public/index.html': page(),
      'src/server.js': '',
      '.env': 'PORT=3000\nAFFKIT_TOKEN=aff_mine',
    },
    {
      'public/index.html': pageWithTag(),
      'src/affkit.js': CLIENT.replace(
        "import { Affkit } from '@affkit/node'",
        "const { Affkit } = require('@affkit/node')",
      ).replace('export const affkit', 'exports.affkit'),
      '.env': `PORT=3000\nAFFKIT_TOKEN=aff_mine\nAFFKIT_BASE_URL=${URL_OF_SERVER}\n`,
    },
  ],
  fastify: [{ 'package.json': packageJson('fastify') }, { 'affkit.js': CLIENT, '.env': ENVIRONMENT }],
  adonisjs: [
    { 'package.json': packageJson('@adonisjs/core'), 'tsconfig.json': '{}' },
    { 'app/services/affkit.ts': CLIENT, '.env': ENVIRONMENT },
  ],
  html: [{ 'index.html': page('\r\n') }, { 'index.html': pageWithTag('\r\n') }],
  wordpress: [
    { 'style.css': '/*\nTheme Name: Shop\n*/', 'functions.php': '<?php\nadd_theme_support("menus");\n' },
    {
      'functions.php': `<?php\nadd_theme_support("menus");\n\nadd_action('wp_head', function () {\n    echo '${TAG}';\n});\n`,
    },
  ],
  shopify: [{ 'layout/theme.liquid': page() }, { 'layout/theme.liquid': pageWithTag() }],
};

test.each(Object.entries(apps))(
  'detects %s, writes after a confirmation, and changes nothing on a second run',
  async (name, app) => {
    const [before, written] = app;
    const folder = makeApp(before);
    const first = await init(folder, {}, true);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(new RegExp(`^Framework: ${name}\n`));
    for (const path of Object.keys(written)) expect(first.stdout).toContain(`+++ ${path}\n`);
    const after = readApp(folder);
    expect(after).toEqual({ ...before, ...written });

    const second = await init(folder, { yes: true });
    expect(second.stdout).toContain('Everything is in place already. Nothing was written.');
    expect(readApp(folder)).toEqual(after);
  },
);

test.each([
  ['a dry run', { dryRun: true }, true, 'Nothing was written.'],
  ['a negative answer', {}, false, 'Nothing was written.'],
] as const)('shows the patch and writes nothing after %s', async (_name, options, answer, line) => {
  const before = { 'index.html': page() };
  const folder = makeApp(before);
  const { code, stdout } = await init(folder, options, answer);
  expect(code).toBe(0);
  expect(stdout).toContain(`+    ${TAG}`);
  expect(stdout).toContain(line);
  expect(readApp(folder)).toEqual(before);
});

test('requires --yes if there is no terminal for the confirmation, also with --json', async () => {
  const before = { 'index.html': page() };
  const folder = makeApp(before);
  expect(await init(folder)).toMatchObject({ code: 1, stderr: expect.stringContaining('Pass --yes') });
  expect((await init(folder, {}, undefined, true)).code).toBe(1);
  expect(readApp(folder)).toEqual(before);
  const written = await runHere(
    {},
    'init',
    folder,
    '--url',
    URL_OF_SERVER,
    '--program',
    '7',
    '--yes',
    '--json',
  );
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(written.stdout)).toEqual({
    framework: 'html',
    folder,
    written: true,
    changes: [{ path: 'index.html', action: 'change', patch: expect.stringContaining(`+    ${TAG}`) }],
    uncommitted: [],
    nextSteps: [],
  });
});

test.each<[string, Files, string]>([
  [
    'a file with other content',
    { 'package.json': packageJson('fastify'), 'affkit.js': 'mine' },
    'affkit.js exists',
  ],
  [
    'a tag with other settings',
    { 'index.html': page().replace('</head>', '<script src="/js/affkit.js"></script></head>') },
    'contains Affkit already',
  ],
  ['a page without </head>', { 'index.html': '<p>Shop' }, 'must contain </head> exactly once'],
  ['a closed PHP file', { 'style.css': 'Theme Name: x', 'functions.php': '<?php ?>' }, 'ends with ?>'],
  [
    'a layout with a directive',
    {
      'package.json': packageJson('next'),
      'app/layout.js': `'use client';\n${LAYOUT}`,
    },
    "starts with a directive such as 'use client'",
  ],
  ['no framework', { 'readme.txt': '' }, 'choose with --framework: next, nuxt'],
  ['a package.json that is not valid', { 'package.json': '{' }, 'is not a valid package.json'],
])('refuses %s and writes nothing', async (_name, before, message) => {
  const folder = makeApp(before);
  expect(await init(folder, { yes: true })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(message),
  });
  expect(readApp(folder)).toEqual(before);
});

test('refuses a file that changes while the command waits for a confirmation', async () => {
  const folder = makeApp({ 'index.html': page() });
  const options = {
    folder,
    framework: null,
    serverUrl: URL_OF_SERVER,
    programId: 7,
    yes: false,
    dryRun: false,
  };
  const changed = await captureCommand((output) =>
    runInit(
      options,
      async () => {
        writeFileSync(join(folder, 'index.html'), 'new');
        return true;
      },
      output,
    ),
  );
  expect(changed).toMatchObject({
    code: 1,
    stderr: 'index.html has changed meanwhile. Run the command again.\n',
  });
  expect(readApp(folder)).toEqual({ 'index.html': 'new' });
});

test('warns of changes that are not committed, and of a file with a secret that git does not ignore', async () => {
  const folder = makeApp({ 'package.json': packageJson('express'), 'public/index.html': page() });
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args]);
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@shop.example', 'commit', '--quiet', '-m', 'x');
  const warnings = async () =>
    (await init(folder, { dryRun: true })).stdout.split('\n').filter((line) => line.startsWith('Warning'));
  const ignored = expect.stringMatching(/^Warning: git does not ignore \.env\./);
  expect(await warnings()).toEqual([ignored]);
  writeFileSync(join(folder, '.gitignore'), '.env\n');
  writeFileSync(join(folder, 'public/index.html'), page().replace('Shop', 'Shoes'));
  expect(await warnings()).toEqual([
    expect.stringMatching(/^Warning: uncommitted changes in public\/index\.html\./),
  ]);
});

test.each([
  ['--url', 'shop', 'must be a URL without a path'],
  ['--url', 'https://shop.example/affiliates', 'must be a URL without a path'],
  ['--framework', 'rails', 'Allowed choices are next'],
])('exits with code 2 for %s %s', async (option, value, problem) => {
  expect(await runHere({}, 'init', option, value)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(problem),
  });
});
