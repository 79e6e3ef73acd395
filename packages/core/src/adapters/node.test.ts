import { expect, test, vi } from 'vitest';
import { sendTo } from '../../test/support/listen.ts';
import { nodeAdapter } from './node.ts';

test.each(['ip', 'secure', 'requestId'])(
  'node: returns 500 without details when the %s callback throws',
  async (name) => {
    const failure = new Error('a bug in the host application');
    const fail = () => {
      throw failure;
    };
    const handle = async () => null;
    const onError = vi.fn();
    const send = await sendTo(nodeAdapter({ handle }, { [name]: fail, onError }));
    const response = await send('/');
    const requestId = response.headers.get('x-request-id');
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'Internal server error', code: 'internal_error', request_id: requestId },
    ]);
    expect(onError.mock.calls).toEqual([[failure, requestId]]);
  },
);

test.each([['line\nbreak'], ['→']])(
  'node: returns 500 for the request id %j, which is not valid in a header',
  async (id) => {
    const onError = vi.fn();
    const listener = nodeAdapter({ handle: async () => null }, { requestId: () => id, onError });
    const send = await sendTo((request, response) => {
      listener(request, response).catch(() => response.destroy());
    });
    const response = await send('/');
    const requestId = response.headers.get('x-request-id');
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'Internal server error', code: 'internal_error', request_id: requestId },
    ]);
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: 'ERR_INVALID_CHAR' }), requestId]]);
  },
);

test('node: cancels a stream that it cannot send because a header is invalid', async () => {
  const cancel = vi.fn();
  const handle = async () => ({
    status: 200,
    headers: { 'x-request-id': 'line\nbreak' },
    body: new ReadableStream({ cancel }),
  });
  const send = await sendTo(nodeAdapter({ handle }, { onError: () => {} }));
  expect((await send('/')).status).toBe(500);
  expect(cancel).toHaveBeenCalledOnce();
});

test('node: logs errors to the console when there is no onError', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const failure = new Error('a bug in the host application');
  const handle = () => Promise.reject(failure);
  const send = await sendTo(nodeAdapter({ handle }, { requestId: () => 'req_given' }));
  expect((await send('/')).status).toBe(500);
  expect(logged.mock.calls).toEqual([['affkit: request failed', { err: failure, request_id: 'req_given' }]]);
  logged.mockRestore();
});
