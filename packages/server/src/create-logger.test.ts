import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from './create-logger.ts';
import { createHttpServer, listen } from './http-server.ts';

function captureLog() {
  const lines: string[] = [];
  return { lines, log: createLogger('debug', { write: (line) => void lines.push(line) }) };
}

test('logs the type, message, code, and stack of an error, and no other field', () => {
  const { lines, log } = captureLog();
  const cause = new Error('the cause');
  const failure = Object.assign(new TypeError('no', { cause }), {
    code: '23505',
    detail: 'Key (email)=(a@b.example)',
  });
  log.error({ err: failure }, 'request failed');
  log.error({ err: new AggregateError([failure], 'all') }, 'request failed');
  const [one, all] = lines.map((line) => (JSON.parse(line) as { err: object }).err);
  const described = { type: 'TypeError', message: 'no: the cause', code: '23505', stack: expect.any(String) };
  expect(one).toEqual(described);
  expect(all).toEqual({
    type: 'AggregateError',
    message: 'all',
    errors: [described],
    stack: expect.any(String),
  });
});

test('does not log the content of a request that cannot be parsed', async () => {
  const { lines, log } = captureLog();
  const server = createHttpServer(() => {}, { log });
  await listen(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const client = connect(port, '127.0.0.1').end(
    'GET /?email=secret HTTP/1.1\r\nAuthorization: secret\r\nA B: c\r\n\r\n',
  );
  await client.toArray();
  expect(lines.join('')).toContain('"code":"HPE_INVALID_HEADER_TOKEN"');
  expect(lines.join('')).not.toMatch(/secret|rawPacket/);
});
