import { afterEach, expect, it, vi } from 'vitest';
import { findScriptTag } from './script-tag.ts';

afterEach(() => vi.unstubAllGlobals());

it('prefers the running script to a matching tag, even if images have the names of document properties', () => {
  const running = { noModule: false, src: 'https://t.example/js/affkit.js', dataset: {} };
  const found = { ...running };
  const querySelector = vi.fn((): unknown => found);
  const image = { src: 'https://evil.example/', dataset: {} };
  const hidden = { currentScript: image, querySelector: image };
  const find = (currentScript: unknown) => {
    vi.stubGlobal('Document', { prototype: { currentScript, querySelector } });
    vi.stubGlobal('document', hidden);
    return findScriptTag();
  };
  expect(find(running)).toBe(running);
  expect(querySelector).not.toHaveBeenCalled();
  expect(find(null)).toBe(found);
  querySelector.mockReturnValue(null);
  expect(find(null)).toEqual({ dataset: {} });
});
