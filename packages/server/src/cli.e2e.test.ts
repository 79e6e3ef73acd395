import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sqliteEngine } from '@affkit/core/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { runServer } from '../test/server-process.ts';

async function runCli(databaseUrl: string, ...args: string[]) {
  const script = join(import.meta.dirname, 'cli.ts');
  const child = spawn(process.execPath, ['--conditions=@affkit/source', script, ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  return { code, stdout, stderr };
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('checks and rebuilds totals and verifies the ledger while the server runs', async () => {
  const path = join(makeFolder(), 'affkit.db');
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
  const wrong = await runCli(`sqlite:${path}`, 'totals', 'check', '--program', String(data.id));
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(
    /^program \d+, \d{4}-\d\d-\d\d, clicks: the stored total is 9, the rows sum to 1\nChecked 1 program: 1 total wrong\n$/,
  );
  const rebuilt = await runCli(`sqlite:${path}`, 'totals', 'rebuild');
  expect(rebuilt).toEqual({ code: 0, stdout: 'Checked 1 program: 1 total corrected\n', stderr: '' });
  expect((await runCli(`sqlite:${path}`, 'totals', 'check')).code).toBe(0);
  expect(await runCli(`sqlite:${path}`, 'totals', 'check', '--program', '99')).toMatchObject({ code: 1 });

  const verify = (...words: string[]) => runCli(`sqlite:${path}`, 'ledger', 'verify', ...words);
  const counts = 'The ledger is consistent: programs 1, entries 0 (unsealed 0), commissions 0, payouts 0\n';
  expect(await verify()).toEqual({ code: 0, stdout: counts, stderr: '' });
  expect(await verify('--program', '99')).toMatchObject({ code: 1, stdout: 'Program 99 does not exist\n' });
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
  const path = join(makeFolder(), 'affkit.db');
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
  expect(await runCli(`sqlite:${path}`, 'password', 'reset', 'nobody@shop.example')).toEqual({
    code: 1,
    stdout: 'No user has the email address nobody@shop.example\n',
    stderr: '',
  });
});

test('prints the usage with exit code 0 for --help and -h', async () => {
  for (const words of [['--help'], ['-h'], ['totals', '--help']]) {
    const helped = await runCli('sqlite:none.db', ...words);
    expect(helped).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: affkit/), stderr: '' });
  }
});

test('exits with code 1 and creates no file for an invalid command or a missing database', async () => {
  const path = join(makeFolder(), 'none.db');
  for (const words of [
    [],
    ['totals'],
    ['totals', 'drop'],
    ['ledger'],
    ['ledger', 'verify', 'x'],
    ['totals', 'check', '--program', 'x'],
    ['password', 'reset'],
    ['password', 'reset', 'a@shop.example', 'b@shop.example'],
    ['password', 'reset', 'a@shop.example', '--program', '1'],
  ]) {
    const refused = await runCli(`sqlite:${path}`, ...words);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^Usage: affkit/) });
  }
  expect(await runCli(`sqlite:${path}`, 'totals', 'check')).toMatchObject({
    code: 1,
    stderr: `DATABASE_URL names a SQLite file that does not exist: ${path}\n`,
  });
  expect(existsSync(path)).toBe(false);
});
