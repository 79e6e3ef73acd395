import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createAffkit } from '@affkit/core';
import { sqliteEngine } from '@affkit/core/sqlite';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import {
  runCli as runCliByDepth,
  runHere as runCliHere,
  spawnCli as spawnCliProcess,
} from '../test/run-cli.ts';
import { runServer } from '../test/server-process.ts';

const runHere = (databaseUrl: string, ...args: string[]) =>
  runCliHere({ DATABASE_URL: databaseUrl }, ...args);
const spawnCli = (databaseUrl: string, ...args: string[]) =>
  spawnCliProcess({ DATABASE_URL: databaseUrl }, ...args);
/** Runs a command with `--json`. @returns the exit code and the document */
async function runJson(databaseUrl: string, ...args: string[]) {
  const { code, stdout, stderr } = await runCli(databaseUrl, ...args, '--json');
  expect(stderr).toBe('');
  return { code, document: JSON.parse(stdout) as unknown };
}
const runCli = (databaseUrl: string, ...args: string[]) =>
  runCliByDepth({ DATABASE_URL: databaseUrl }, ...args);

test('checks and rebuilds totals and verifies the ledger while the server runs', async () => {
  const path = join(makeTempFolder(), 'affkit.db');
  const admin = { ADMIN_EMAIL: 'owner@shop.example', ADMIN_PASSWORD: 'correct horse battery' };
  const server = runServer({ DATABASE_URL: `sqlite:${path}`, ...admin });
  const call = async (route: string, body: unknown, token = '') => {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const reply = await server.send(route, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await reply.json()) as { token: string; data: { id: number } };
  };
  const { token } = await call('/api/auth/login', {
    email: admin.ADMIN_EMAIL,
    password: admin.ADMIN_PASSWORD,
  });
  const commission = { type: 'percent', rate: 20 };
  const program = { name: 'Shop', site_url: 'https://shop.example', commission };
  const { data } = await call('/api/advertiser/affiliate-programs', program, token);
  const partner = { name: 'Anna', email: 'anna@partner.example', code: 'anna' };
  await call(`/api/advertiser/affiliate-programs/${data.id}/partners`, partner, token);
  await call('/api/v1/track/click', { affiliate_url: 'https://shop.example/?aff=anna' });
  const correct = await runCli(`sqlite:${path}`, 'totals', 'check');
  expect(correct).toEqual({ code: 0, stdout: 'Checked 1 program: 0 totals wrong\n', stderr: '' });

  const engine = sqliteEngine({ path });
  await engine.write(data.id, ({ db }) =>
    db
      .updateTable('daily_totals')
      .set({ value: 9 })
      .where('measure', '=', 'clicks')
      .where('partner_id', '=', 0)
      .execute(),
  );
  await engine.close();
  const wrong = await spawnCli(`sqlite:${path}`, 'totals', 'check', '--program', String(data.id));
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(
    /^program \d+, \d{4}-\d\d-\d\d, clicks: the stored total is 9, the rows sum to 1\nChecked 1 program: 1 total wrong\n$/,
  );
  const difference = { programId: data.id, partnerId: null, hour: null, measure: 'clicks' };
  expect(await runJson(`sqlite:${path}`, 'totals', 'check')).toEqual({
    code: 1,
    document: {
      programs: 1,
      differences: [{ ...difference, date: expect.any(String), recorded: 9, counted: 1 }],
    },
  });
  const rebuilt = await runCli(`sqlite:${path}`, 'totals', 'rebuild');
  expect(rebuilt).toEqual({ code: 0, stdout: 'Checked 1 program: 1 total corrected\n', stderr: '' });
  expect((await runCli(`sqlite:${path}`, 'totals', 'check')).code).toBe(0);
  expect(await runCli(`sqlite:${path}`, 'totals', 'check', '--program', '99')).toMatchObject({ code: 1 });

  const breakdowns = (action: string) => runCli(`sqlite:${path}`, 'breakdowns', action);
  const corrupted = sqliteEngine({ path });
  await createAffkit({ engine: corrupted, secret: 's'.repeat(32) }).jobs.runOnce();
  const countedRows = () =>
    corrupted.read.selectFrom('breakdowns').select('total').where('dimension', '=', 'device').execute();
  expect(await breakdowns('check')).toMatchObject({ code: 0, stdout: 'Checked 1 program: 0 totals wrong\n' });
  await corrupted.write(data.id, ({ db }) =>
    db.updateTable('breakdowns').set({ total: 9 }).where('dimension', '=', 'device').execute(),
  );
  expect(await breakdowns('check')).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /^program \d+, \d{4}-\d\d-\d\d, device "\w+", clicks: the stored total is 9, the events sum to 1\nChecked 1 program: 1 total wrong\n$/,
    ),
    stderr: '',
  });
  expect(await runJson(`sqlite:${path}`, 'breakdowns', 'check')).toMatchObject({
    code: 1,
    document: { differences: [{ dimension: 'device', measure: 'clicks', recorded: 9, counted: 1 }] },
  });
  expect(await runJson(`sqlite:${path}`, 'breakdowns', 'rebuild')).toEqual({
    code: 0,
    document: { programs: 1, corrected: 1 },
  });
  expect(await countedRows()).toEqual([{ total: 1 }]);
  await corrupted.close();

  const verify = (...words: string[]) => runCli(`sqlite:${path}`, 'ledger', 'verify', ...words);
  const counts = 'The ledger is consistent: programs 1, entries 0 (unsealed 0), commissions 0, payouts 0\n';
  expect(await verify()).toEqual({ code: 0, stdout: counts, stderr: '' });
  expect(await runJson(`sqlite:${path}`, 'ledger', 'verify')).toEqual({
    code: 0,
    document: {
      consistent: true,
      fault: null,
      programs: 1,
      entries: 0,
      unsealed: 0,
      commissions: 0,
      payouts: 0,
    },
  });
  expect(await runJson(`sqlite:${path}`, 'ledger', 'verify', '--program', '99')).toEqual({
    code: 1,
    document: { error: 'Program 99 does not exist' },
  });
  expect(await verify('--program', '99')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Program 99 does not exist\n',
  });
  const again = sqliteEngine({ path });
  const balance = { program_id: data.id, partner_id: 1, currency: 'USD', balance_cents: 5 };
  await again.write(data.id, ({ db }) => db.insertInto('balances').values(balance).execute());
  await again.close();
  expect(await verify('--program', String(data.id))).toEqual({
    code: 1,
    stdout: `program ${data.id}, partner 1: its balance in the program in USD is 5, expected 0 according to its ledger entries\n`,
    stderr: '',
  });
});

test('resets a password and ends every session of the user while the server runs', async () => {
  const path = join(makeTempFolder(), 'affkit.db');
  const email = 'owner@shop.example';
  const lost = 'correct horse battery';
  const server = runServer({ DATABASE_URL: `sqlite:${path}`, ADMIN_EMAIL: email, ADMIN_PASSWORD: lost });
  const signIn = (password: string) =>
    server.send('/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
  const { token } = (await (await signIn(lost)).json()) as { token: string };
  const listPrograms = async () => {
    const headers = { authorization: `Bearer ${token}` };
    return (await server.send('/api/advertiser/affiliate-programs', { headers })).status;
  };
  expect(await listPrograms()).toBe(200);

  const reset = await runCli(`sqlite:${path}`, 'password', 'reset', 'Owner@Shop.example');
  expect(reset).toMatchObject({ code: 0, stderr: '' });
  const [, password = ''] = /password (\w{20}) /.exec(reset.stdout) ?? [];
  expect(await listPrograms()).toBe(401);
  expect((await signIn(lost)).status).toBe(401);
  const signedIn = await signIn(password);
  expect(signedIn.status).toBe(200);
  expect(await signedIn.json()).toMatchObject({ password_change_required: true });
  expect(await runJson(`sqlite:${path}`, 'password', 'reset', email)).toEqual({
    code: 0,
    document: { email, password: expect.stringMatching(/^\w{20}$/) },
  });
  expect(await runCli(`sqlite:${path}`, 'password', 'reset', 'nobody@shop.example')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'No user has the email address nobody@shop.example\n',
  });
});

test('prints links that work once, to sign in or to set a new password, while the server runs', async () => {
  const path = join(makeTempFolder(), 'affkit.db');
  const email = 'owner@shop.example';
  const server = runServer({ DATABASE_URL: `sqlite:${path}`, ADMIN_EMAIL: email });
  const origin = `http://127.0.0.1:${await server.listening}`;
  const printed = await runCli(`sqlite:${path}`, 'sign-in-link', 'Owner@Shop.example');
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  const [, code] =
    /^http:\/\/localhost:8787\/app\/sign-in#(affs_\w{36})\nThis link signs .*\n$/.exec(printed.stdout) ?? [];
  const signIn = () =>
    server.send('/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ code, cookie: true }),
    });
  const reply = await signIn();
  expect(reply.status).toBe(200);
  const [cookie = ''] = reply.headers.getSetCookie();
  expect(cookie).toMatch(/^affkit=[\w.-]+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Strict$/);
  const me = await server.send('/api/auth/me', { headers: { cookie: cookie.split(';')[0] ?? '' } });
  expect(await me.json()).toMatchObject({ user: { email } });
  expect((await signIn()).status).toBe(401);

  const reset = await runCli(`sqlite:${path}`, 'password-reset-link', email);
  const [, token] =
    /^http:\/\/localhost:8787\/app\/reset#(affr_\w{36})\nWith this link, .*\n$/.exec(reset.stdout) ?? [];
  const confirm = () =>
    server.send('/api/auth/password-reset/confirm', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password: 'another battery horse' }),
    });
  expect(await (await confirm()).json()).toMatchObject({ success: true, user: { email } });
  expect(await (await confirm()).json()).toMatchObject({ code: 'reset_code_invalid' });

  for (const [command, page] of [
    ['sign-in-link', 'sign-in#affs_'],
    ['password-reset-link', 'reset#affr_'],
  ] as const) {
    const link = { email, url: expect.stringContaining(`/app/${page}`), expiresAt: expect.any(String) };
    expect(await runJson(`sqlite:${path}`, command, email)).toEqual({ code: 0, document: link });
  }
  expect(await runCli(`sqlite:${path}`, 'password-reset-link', 'nobody@shop.example')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'No user has the email address nobody@shop.example\n',
  });
});

test('changes the scope of transaction ids; a server with another setting exits with code 1', async () => {
  const path = join(makeTempFolder(), 'affkit.db');
  const DATABASE_URL = `sqlite:${path}`;
  await sqliteEngine({ path }).close();
  expect(await runCli(DATABASE_URL, 'transaction-ids', 'workspace')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^The database is not migrated to Affkit .*Run affkit migrate, or start a server/,
    ),
  });

  const first = runServer({ DATABASE_URL });
  await first.listening;
  first.child.kill('SIGTERM');
  expect(await first.exited).toBe(0);
  const refused = runServer({ DATABASE_URL, TRANSACTION_IDS: 'workspace' });
  expect(await refused.exited).toBe(1);
  expect(refused.stderr).toEqual([
    'TRANSACTION_IDS is workspace, but the database uses service. Set it to service, or stop every server that uses the database, run "affkit transaction-ids workspace", and start again.',
  ]);

  expect(await runCli(DATABASE_URL, 'transaction-ids', 'workspace')).toEqual({
    code: 0,
    stdout:
      'Transaction ids must now be unique in their workspace.\nStart every server with TRANSACTION_IDS=workspace.\n',
    stderr: '',
  });
  expect(await runJson(DATABASE_URL, 'transaction-ids', 'workspace')).toEqual({
    code: 0,
    document: { scope: 'workspace', sharedIds: 0 },
  });
  expect(await runJson(DATABASE_URL, 'cluster', 'init')).toEqual({
    code: 1,
    document: { error: 'DATABASE_URL must name a Postgres database with Citus.' },
  });
  const changed = runServer({ DATABASE_URL, TRANSACTION_IDS: 'workspace' });
  expect(await changed.listening).toBeGreaterThan(0);
});

test.each([
  [['--help'], /^Usage: affkit \[options\][\s\S]*totals check +Compare[\s\S]*password reset <email>/],
  [['-h'], /^Usage: affkit \[options\]/],
  [['help'], /^Usage: affkit \[options\][\s\S]*DATABASE_URL[\s\S]*Examples:\n {2}affkit totals check\n/],
  [['help', 'ledger'], /^Usage: affkit ledger/],
  [['totals', 'check', '--help'], /--program <id> +only this program[\s\S]*Exits with 1[\s\S]*Examples:/],
  [['doctor', '--help'], /--page <url>[\s\S]*Exits with 1[\s\S]*Examples:/],
  [['why', '--help'], /^Usage: affkit why[\s\S]*--program <id>[\s\S]*Examples:/],
  [['password', 'reset', '-h'], /^Usage: affkit password reset/],
  [['--version'], /^\d+\.\d+\.\d+\S*\n$/],
])('prints help with exit code 0 for %j', async (words, output) => {
  expect(await runCli('sqlite:none.db', ...words)).toEqual({
    code: 0,
    stdout: expect.stringMatching(output),
    stderr: '',
  });
});

test.each([
  [['--version'], 0],
  [['totals', 'chek'], 2],
])('the process of %j exits with code %i', async (words, code) => {
  const ended = await spawnCli('sqlite:none.db', ...words);
  expect(ended).toEqual(await runHere('sqlite:none.db', ...words));
  expect(ended.code).toBe(code);
});

test('exits with code 2 and creates no file if the command line is not valid', async () => {
  const path = join(makeTempFolder(), 'none.db');
  for (const [words, problem] of [
    [[], 'Usage: affkit'],
    [['totals'], 'Usage: affkit totals'],
    [['totals', 'chek'], 'Did you mean check?'],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['ledger', 'verify', 'x'], 'too many arguments'],
    [['totals', 'check', '--program', 'x'], 'must be the id of a program'],
    [['totals', 'check', '--progam', '1'], 'Did you mean --program?'],
    [['password', 'reset'], "missing required argument 'email'"],
    [['password', 'reset', 'a@shop.example', 'b@shop.example'], 'too many arguments'],
    [['password', 'reset', 'a@shop.example', '--program', '1'], "unknown option '--program'"],
    [['why'], "missing required argument 'id'"],
    [['why', 'order-1', '--program', 'x'], 'must be the id of a program'],
    [['why', 'order-1', 'order-2'], 'too many arguments'],
    [['transaction-ids'], "missing required argument 'scope'"],
    [['transaction-ids', 'program'], 'Allowed choices are service, workspace'],
    [['transaction-ids', 'service', 'workspace'], 'too many arguments'],
  ] as const) {
    const refused = await runCli(`sqlite:${path}`, ...words);
    expect(refused).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(problem) });
  }
  expect(existsSync(path)).toBe(false);
});

test('exits with code 1 and creates no file if the database does not exist', async () => {
  const path = join(makeTempFolder(), 'none.db');
  expect(await runCli(`sqlite:${path}`, 'totals', 'check')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`DATABASE_URL names a SQLite file that does not exist: ${path}. `),
  });
  expect(existsSync(path)).toBe(false);
});
