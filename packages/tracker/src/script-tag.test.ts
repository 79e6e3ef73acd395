import { afterEach, expect, it, vi } from 'vitest';
import { findScriptTag } from './script-tag.ts';

afterEach(() => vi.unstubAllGlobals());

it('returns the running script, else a matching tag, else no settings', () => {
  const running = { noModule: false, src: 'https://t.example/js/affkit.js', dataset: {} };
  const found = { ...running };
  const querySelector = vi.fn((): unknown => found);
  const find = (currentScript: unknown) => {
    vi.stubGlobal('document', { currentScript, querySelector });
    return findScriptTag();
  };
  expect(find(running)).toBe(running);
  expect(querySelector).not.toHaveBeenCalled();
  expect(find(null)).toBe(found);
  const image = { src: 'https://evil.example/', dataset: {} };
  expect(find(image)).toBe(found);
  querySelector.mockReturnValue(null);
  expect(find(null)).toEqual({ dataset: {} });
});
