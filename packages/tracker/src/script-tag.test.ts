import { expect, it, vi } from 'vitest';
import { baseUrlOf, findScriptTag } from './script-tag.ts';

const element = (tagName: string) => ({ tagName, src: 'https://t.example/js/affkit.js', dataset: {} });

it('is the running script, or the one that looks like it', () => {
  const running = element('SCRIPT');
  const found = element('SCRIPT');
  const querySelector = vi.fn(() => found);
  const find = (currentScript: unknown) => findScriptTag({ currentScript, querySelector } as never);
  expect(find(running)).toBe(running);
  expect(querySelector).not.toHaveBeenCalled();
  expect(find(null)).toBe(found);
  expect(find(element('IMG'))).toBe(found);
  querySelector.mockReturnValue(null as never);
  expect(find(null)).toEqual({ dataset: {} });
});

it('names the server: by attribute, else where the script came from, else this site', () => {
  const src = 'https://t.example/js/affkit.js?v=1';
  expect(baseUrlOf({ src, dataset: { baseUrl: '/px' } })).toBe('/px');
  expect(baseUrlOf({ src, dataset: {} })).toBe('https://t.example');
  expect(baseUrlOf({ dataset: {} })).toBe('');
});
