import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accentShade, contrastRatio } from './accent-color.ts';

test('any color gives a visible button with readable text, on light and dark pages', () => {
  const channel = fc.integer({ min: 0, max: 255 }).map((value) => value.toString(16).padStart(2, '0'));
  const color = fc.tuple(channel, channel, channel).map((channels) => `#${channels.join('')}`);
  fc.assert(
    fc.property(color, fc.constantFrom('#ffffff', '#101216'), (accent, background) => {
      const { fill, text } = accentShade(accent, background);
      expect(contrastRatio(fill, background)).toBeGreaterThanOrEqual(3);
      expect(contrastRatio(text, fill)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test('a color with enough contrast does not change', () => {
  expect(accentShade('#0a7d4f', '#ffffff')).toEqual({ fill: '#0a7d4f', text: '#ffffff' });
  expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21);
});
