import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { captureCommand } from '../../test/run-cli.ts';
import { ConfigError } from '../config-error.ts';
import { CommandError, type RunCommand, runCommand } from './command-result.ts';

const longWork: RunCommand = async ({ progress, printLine }) => {
  progress.show('Removing 2026-01', 0);
  progress.show('Removing 2026-01', 0.5);
  printLine('2026-01: done');
  progress.show('Removing 2026-02', 0.25);
  return { exitCode: 1, data: { removed: ['2026-01'] }, lines: ['2026-02: failed'] };
};

/** Returns a stream that acts as a terminal, and records what is drawn on it. */
function openTerminal() {
  return Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
}

async function draw(json: boolean) {
  const stream = openTerminal();
  const lines: string[] = [];
  const fail = (written: string) => expect.unreachable(written);
  await runCommand(
    { json },
    { env: {}, progressStream: stream, write: (line) => void lines.push(line), writeError: fail },
    longWork,
  );
  stream.end();
  return { drawn: await text(stream), lines };
}

test('prints lines immediately, or one JSON document with --json', async () => {
  expect(await captureCommand(longWork)).toEqual({
    code: 1,
    stdout: '2026-01: done\n2026-02: failed\n',
    stderr: '',
  });
  const { code, stdout, stderr } = await captureCommand(longWork, { json: true });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ removed: ['2026-01'] });
});

test('draws a bar for each task on a terminal, and removes the bar before it prints a line', async () => {
  const { drawn, lines } = await draw(false);
  expect(drawn).toMatch(/Removing 2026-01 ░{30} 0 % .*Removing 2026-02 █{8}░{22} 25 % /s);
  expect(drawn).not.toContain('done');
  expect(lines).toEqual(['2026-01: done\n', '2026-02: failed\n']);
});

test('draws nothing with --json', async () => {
  expect((await draw(true)).drawn).toBe('');
});

test.each([new CommandError('Program 99 does not exist'), new ConfigError('DATABASE_URL', 'is not valid')])(
  'prints %s on stderr, or as JSON on stdout',
  async (error) => {
    const failing = () => Promise.reject(error);
    expect(await captureCommand(failing)).toEqual({ code: 1, stdout: '', stderr: `${error.message}\n` });
    const { stdout, ...rest } = await captureCommand(failing, { json: true });
    expect(rest).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ error: error.message });
  },
);

test('prints the stack of an unexpected error on stderr, also with --json', async () => {
  const failing = () => Promise.reject(new TypeError('x is undefined'));
  const stack = expect.stringMatching(/^TypeError: x is undefined\n +at /);
  expect(await captureCommand(failing)).toEqual({ code: 1, stdout: '', stderr: stack });
  expect(await captureCommand(failing, { json: true })).toEqual({
    code: 1,
    stdout: '{\n  "error": "x is undefined"\n}\n',
    stderr: stack,
  });
});
