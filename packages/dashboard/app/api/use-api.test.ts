import { MutationObserver, onlineManager } from '@tanstack/preact-query';
import { expect, onTestFinished, test, vi } from 'vitest';

test('a change fails immediately while the browser is offline', async () => {
  // The module reads the path of the API from the HTML document when it is loaded, so the test needs a fake document.
  vi.stubGlobal('document', { querySelector: () => null });
  onlineManager.setOnline(false);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    onlineManager.setOnline(true);
  });
  const { createQueryClient } = await import('./use-api.ts');
  const change = new MutationObserver(createQueryClient(), {
    mutationFn: () => Promise.reject(new Error('unreachable')),
  });
  await expect(change.mutate()).rejects.toThrow('unreachable');
});
