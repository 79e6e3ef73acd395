import { expect, onTestFinished, test, vi } from 'vitest';

test('a change without a reply fails after a minute, as if the server could not be reached', async () => {
  // The module reads the path of the API from the HTML document when it is loaded, so the test needs a fake document.
  vi.stubGlobal('document', { querySelector: () => null });
  const stop = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(stop.signal);
  const fetchUntilAborted = (_url: string, { signal }: RequestInit) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  vi.stubGlobal('fetch', fetchUntilAborted);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    timeout.mockRestore();
  });
  const { isLost, send } = await import('./client.ts');
  const reply = send('POST', '/api/changes').catch((error: unknown) => error);
  stop.abort(new DOMException('The operation timed out', 'TimeoutError'));
  expect(isLost(await reply)).toBe(true);
  expect(timeout).toHaveBeenCalledWith(60_000);
});
