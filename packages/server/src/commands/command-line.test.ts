import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommandLine } from './command-line.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../docs/guides/command-line.md'), 'utf8');

async function readHelp(...words: string[]): Promise<string> {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  await runCommandLine([...words, '--help'], { env: {}, write, writeError: write });
  return written.join('');
}

/** Returns the first column of a section of a help text. */
function termsOf(help: string, section: string): string[] {
  const lines = help.split('\n');
  const start = lines.indexOf(`${section}:`) + 1;
  const end = lines.findIndex((line, index) => index >= start && line === '');
  return start === 0
    ? []
    : lines
        .slice(start, end)
        // A longer description continues on lines with more indentation.
        .filter((line) => /^ {2}\S/.test(line))
        .map((line) => line.trim().split(/ {2,}/, 1)[0] ?? '');
}

/** The first two columns of the guide's table of commands. */
const documented = [...GUIDE.matchAll(/^\| `affkit ([^`]+)` *\| ([^|]*)\|/gm)].map(
  ([, command = '', options = '']) => ({
    command,
    options: [...options.matchAll(/`(--[a-z-]+)`/g)].map(([, name = '']) => name).sort(),
  }),
);

test('the guide lists every command with its options, and no others', async () => {
  const terms = termsOf(await readHelp(), 'Commands').filter((term) => !term.startsWith('help'));
  const commands = await Promise.all(
    terms.map(async (term) => {
      const words = term.split(' ').filter((word) => !word.startsWith('<') && !word.startsWith('['));
      const options = termsOf(await readHelp(...words), 'Options')
        .map((option) => /--[a-z-]+/.exec(option)?.[0] ?? '')
        .filter((name) => name !== '--help')
        .sort();
      return { command: term, options };
    }),
  );
  const byCommand = (a: { command: string }, b: { command: string }) => a.command.localeCompare(b.command);
  expect(documented.toSorted(byCommand)).toEqual(commands.toSorted(byCommand));
});

test('every command except start prints JSON if asked', async () => {
  const terms = termsOf(await readHelp(), 'Commands').filter((term) => !/^(help|start)\b/.test(term));
  for (const term of terms) {
    const help = await readHelp(...term.replace(/ [<[].*/, '').split(' '));
    expect(help, term).toMatch(/^ +--json +print JSON/m);
  }
});

test('a subcommand gets its options, even if its group has options of the same names', async () => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const env = { DATABASE_URL: 'sqlite:/nowhere/affkit.db' };
  const args = ['import', 'rewardful', '--from', '/nowhere', '--json'];
  expect(await runCommandLine(args, { env, write, writeError: () => {} })).toBe(1);
  expect(JSON.parse(written.join(''))).toEqual({ error: expect.stringContaining('/nowhere/affkit.db') });
});

test.each([['--json'], ['--workspace', '2']])(
  'rejects %s before the name of a subcommand',
  async (...early) => {
    const errors: string[] = [];
    const writeError = (text: string) => void errors.push(text);
    const args = ['import', ...early, 'rewardful', '--from', '/nowhere'];
    expect(await runCommandLine(args, { env: {}, write: () => {}, writeError })).toBe(2);
    expect(errors.join('')).toMatch(`error: write '${early[0]}' after 'rewardful'`);
  },
);

test('the guide lists every check of the doctor', () => {
  const checks = [...GUIDE.matchAll(/^\| `([a-z_.]+)` /gm)].map(([, name = '']) => name);
  const folder = join(import.meta.dirname, 'doctor');
  const sources = ['database', 'page', 'server', 'settings', 'webhooks', 'webhook-endpoints']
    .map((name) => readFileSync(join(folder, `check-${name}.ts`), 'utf8'))
    .concat(
      readFileSync(join(folder, 'judge-proxies.ts'), 'utf8'),
      readFileSync(join(import.meta.dirname, 'doctor-command.ts'), 'utf8'),
    );
  const reported = sources.flatMap((source) => [
    ...source.matchAll(
      /'((?:database|page|server|tracker)\.[a-z_]+|settings|webhooks|webhook_endpoints|database)'/g,
    ),
  ]);
  expect(checks.toSorted()).toEqual([...new Set(reported.map(([, name = '']) => name))].sort());
});

test.each([
  [
    'a missing SQLite file',
    'sqlite:none.db',
    ['ledger', 'verify'],
    'DATABASE_URL names a SQLite file that does not exist: none.db. Start the server once, or run this command in the folder of the server.\n',
  ],
  [
    'a database in memory',
    'sqlite::memory:',
    ['migrate'],
    'DATABASE_URL names a database in memory, which ends with its process. Name a SQLite file or a Postgres database.\n',
  ],
])('a command on %s says which database it can use', async (_name, url, args, message) => {
  const written: string[] = [];
  const code = await runCommandLine(args, {
    env: { DATABASE_URL: url },
    write: () => {},
    writeError: (text) => void written.push(text),
  });
  expect([code, written.join('')]).toEqual([1, message]);
});
