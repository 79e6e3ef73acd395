import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, inject, onTestFinished, test } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { createMigratedDatabase, dropDatabase } from '../../../core/test/support/postgres-server.ts';
import { prepareDatabase } from '../../test/database-fixture.ts';
import { runCli, runHere, spawnCli } from '../../test/run-cli.ts';
import { runServer } from '../../test/server-process.ts';

interface Report {
  readonly healthy: boolean;
  readonly findings: readonly { check: string; level: string; message: string; advice: string | null }[];
}

/** Starts a server on a database with one program. */
async function startService() {
  const folder = makeTempFolder();
  const { env } = await prepareDatabase(join(folder, 'affkit.db'));
  const settings = { ...env, METRICS_TOKEN: 's3cret', GEOIP: 'off' };
  const server = runServer(settings);
  const port = await server.listening;
  return { settings: { ...settings, PUBLIC_URL: `http://127.0.0.1:${port}` }, port };
}

const servePage = (html: string, headers: Record<string, string> = {}) =>
  listen((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(html),
  );

/** Starts a proxy for the server. The proxy replaces some headers. */
const startProxy = (port: number, changes: { request?: object; response?: Record<string, string> }) =>
  listen((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const target = { port, method, path: url, headers: { ...headers, ...changes.request } };
    incoming.pipe(
      request({ host: '127.0.0.1', ...target }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, { ...reply.headers, ...changes.response });
        reply.pipe(outgoing);
      }),
    );
  });

async function examine(settings: Record<string, string>, ...args: string[]) {
  const { code, stdout, stderr } = await runCli(settings, 'doctor', '--json', ...args);
  const report = JSON.parse(stdout) as Report;
  expect({ code, stderr }).toEqual({ code: report.healthy ? 0 : 1, stderr: '' });
  expect(report.healthy).toBe(report.findings.every(({ level }) => level !== 'problem'));
  return report.findings;
}

/** Lists the checks that did not pass, except those that depend on the disk of this machine. */
const problemsOf = (findings: Report['findings']) =>
  findings
    .filter(
      ({ check, level }) => level !== 'ok' && !/^database\.(?:file_system|disk_space|commit)$/.test(check),
    )
    .map(({ check, level }) => `${level} ${check}`);

test('finds nothing wrong with a server and a page that work', async () => {
  const { settings } = await startService();
  const page = await servePage(
    `<title>Shop</title><script async src="${settings.PUBLIC_URL}/js/affkit.js"></script>`,
    { 'content-security-policy': `script-src ${settings.PUBLIC_URL}; connect-src ${settings.PUBLIC_URL}` },
  );
  const findings = await examine(settings, '--page', page);
  // The program of this database allows only https://shop.example.
  expect(problemsOf(findings)).toEqual(['problem page.program']);
  expect([...new Set(findings.map(({ check }) => check))]).toEqual([
    'settings',
    'database.version',
    'database.migrations',
    'database.clock',
    'database.durability',
    'database.file_system',
    'database.disk_space',
    'database.commit',
    'server.reachable',
    'server.clock',
    'server.ready',
    'server.cache',
    'tracker.script',
    'tracker.cors',
    'server.proxies',
    'webhooks',
    'webhook_endpoints',
    'page.reachable',
    'page.tag',
    'page.csp',
    'page.program',
  ]);
});

test('finds that a page has no tag and that the policies of the page block the tracker', async () => {
  const { settings } = await startService();
  const page = await servePage(
    `<meta http-equiv="Content-Security-Policy" content="connect-src 'self'"><div><script src="/other.js"></script></div>`,
    { 'content-security-policy': "script-src 'self'" },
  );
  const findings = await examine(settings, '--page', page);
  expect(problemsOf(findings)).toEqual([
    'warning page.tag',
    'problem page.csp',
    'problem page.csp',
    'problem page.program',
  ]);
  expect(findings.filter(({ check }) => check === 'page.csp').map(({ advice }) => advice)).toEqual([
    `Add ${settings.PUBLIC_URL} to script-src, or give the tag the nonce of the policy.`,
    `Add ${settings.PUBLIC_URL} to connect-src.`,
  ]);
});

test('finds a tag with a wrong integrity attribute, even if it loads the tracker from another path', async () => {
  const { settings } = await startService();
  const page = await servePage(
    '<script src="/t/js/affkit.0123456789abcdef.js" integrity="sha384-old"></script>',
  );
  expect(problemsOf(await examine(settings, '--page', page))).toEqual([
    'problem page.tag',
    'problem page.program',
  ]);
});

test('finds a proxy that changes the cache headers and adds CORS headers', async () => {
  const { settings, port } = await startService();
  const PUBLIC_URL = await startProxy(port, {
    response: { 'cache-control': 'max-age=31536000', 'access-control-allow-origin': '*' },
  });
  // The proxy also sends no `X-Forwarded-For`, but the doctor cannot detect this on plain http.
  expect(problemsOf(await examine({ ...settings, PUBLIC_URL }))).toEqual([
    'problem tracker.script',
    'problem tracker.cors',
  ]);
});

test('finds that TRUST_PROXY is too low for a proxy, and says which value is correct', async () => {
  const { settings, port } = await startService();
  const PUBLIC_URL = await startProxy(port, { request: { 'x-forwarded-for': '192.0.2.1, 203.0.113.9' } });
  const findings = await examine({ ...settings, PUBLIC_URL });
  expect(problemsOf(findings)).toEqual(['problem server.proxies']);
  expect(findings.find(({ check }) => check === 'server.proxies')?.advice).toMatch(/^Set TRUST_PROXY=1 /);
});

test('finds a server that is not running, a server that is not Affkit, and a page that does not exist', async () => {
  const { settings } = await startService();
  const unused = await servePage('');
  const other = await examine(
    { ...settings, PUBLIC_URL: unused },
    '--page',
    `${settings.PUBLIC_URL}/nothing-here`,
  );
  expect(problemsOf(other)).toEqual(['problem server.reachable', 'problem page.reachable']);
  const away = await examine({ ...settings, PUBLIC_URL: 'http://127.0.0.1:9' });
  expect(problemsOf(away)).toEqual(['problem server.reachable']);
});

test('checks a running server although the database has pending or newer migrations', async () => {
  const { settings } = await startService();
  const page = await servePage(`<script async src="${settings.PUBLIC_URL}/js/affkit.js"></script>`);
  const folder = makeTempFolder();
  const empty = join(folder, 'empty.db');
  writeFileSync(empty, '');
  const pending = await examine({ ...settings, DATABASE_URL: `sqlite:${empty}` }, '--page', page);
  expect(problemsOf(pending)).toEqual(['warning database.migrations']);
  expect(pending.map(({ check }) => check)).toEqual(expect.arrayContaining(['server.proxies', 'page.tag']));

  const newer = join(folder, 'newer.db');
  await prepareDatabase(newer);
  const database = new DatabaseSync(newer);
  database.exec('ALTER TABLE processor_connections RENAME TO connections');
  database.exec("INSERT INTO affkit_migrations (name) VALUES ('9999-newer')");
  database.close();
  const old = await examine({ ...settings, DATABASE_URL: `sqlite:${newer}` });
  expect(problemsOf(old)).toEqual(['problem database.migrations']);
});

test('reports invalid settings and a missing database file, and creates no file', async () => {
  const missing = join(tmpdir(), 'affkit-doctor-missing', 'none.db');
  const findings = await examine({ DATABASE_URL: `sqlite:${missing}`, PORT: 'abc', TRUSTPROXY: '1' });
  expect(findings.map(({ check, level }) => `${level} ${check}`)).toEqual([
    'problem settings',
    'problem settings',
    'problem database',
  ]);
});

test('checks a Postgres database, also when no server runs', async () => {
  const url = await createMigratedDatabase(inject('postgresUrl'));
  onTestFinished(() => dropDatabase(url));
  const settings = {
    DATABASE_URL: url,
    AFFKIT_SECRET: 'a-secret-of-at-least-32-characters',
    PUBLIC_URL: 'http://127.0.0.1:9',
    METRICS_TOKEN: 's3cret',
  };
  const levels = Object.fromEntries((await examine(settings)).map(({ check, level }) => [check, level]));
  expect(levels).toMatchObject({
    'database.version': 'ok',
    'database.migrations': 'ok',
    'database.clock': 'ok',
    'database.commit': expect.any(String),
    'server.reachable': 'problem',
  });
  const away = await examine({ ...settings, DATABASE_URL: 'postgres://u:p@127.0.0.1:9/db' });
  expect(problemsOf(away)).toEqual(['problem database', 'problem server.reachable']);
});

test('prints findings with advice as text, and reports invalid arguments', async () => {
  const missing = { DATABASE_URL: 'sqlite:none.db', PORT: 'abc' };
  const printed = await spawnCli(missing, 'doctor');
  expect(printed).toEqual({
    code: 1,
    stdout: [
      'problem settings: PORT must be an integer between 0 and 65535, got "abc".',
      '        → The server does not start until PORT is corrected.',
      'problem database: DATABASE_URL names a SQLite file that does not exist: none.db',
      '        → Start the server once, or run this command in the folder of the server.',
      '2 problems, 0 warnings, 0 ok',
      '',
    ].join('\n'),
    stderr: '',
  });
  for (const [words, text] of [
    [['--page'], "option '--page <url>' argument missing"],
    [['--page', 'shop'], 'It must be a URL, such as https://your-shop.example/.'],
    [['--jsn'], 'Did you mean --json?'],
    [['now'], 'too many arguments'],
  ] as const) {
    const refused = await runHere(missing, 'doctor', ...words);
    expect(refused).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(text) });
  }
});
