import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ignoreClosedPipe } from './closed-pipe.ts';

test('a command whose output nobody reads ends without a stack trace', async () => {
  const cli = join(import.meta.dirname, '../cli.ts');
  const command = spawn(process.execPath, ['--conditions=@affkit/source', cli, '--help']);
  command.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(command.stderr), once(command, 'exit')]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('other errors of the stream are thrown', () => {
  const stream = new PassThrough();
  ignoreClosedPipe(stream);
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  expect(() => stream.emit('error', full)).toThrow('no space left');
});
