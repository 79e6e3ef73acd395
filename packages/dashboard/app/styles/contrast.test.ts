import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const tokens = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const AA = 4.5;
/** The minimum contrast of the outline of a control. */
const AA_OUTLINE = 3;

/** Returns the colors of a token in the light and the dark theme. */
function colorsOf(name: string): readonly string[] {
  const match = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens);
  if (!match) throw new Error(`tokens.css has no --${name}`);
  return match.slice(1);
}

/** Returns the relative luminance as defined by WCAG 2. */
function luminance(color: string): number {
  const digits = color.slice(1);
  const full = digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

// axe does not check the contrast of texts in SVG.
test.each([
  ['text-2', 'bg-raised'],
  ['text-2', 'accent-soft'],
  ['text', 'accent-soft'],
])('%s is readable on %s in both themes', (text, background) => {
  for (const theme of [0, 1]) {
    const [color = '', behind = ''] = [colorsOf(text)[theme], colorsOf(background)[theme]];
    expect([theme, contrast(color, behind) >= AA]).toEqual([theme, true]);
  }
});

test.each(['accent-fill', 'accent-hover', 'bad-fill'])(
  'white text is readable on %s in both themes',
  (fill) => {
    for (const color of colorsOf(fill)) expect(contrast('#fff', color)).toBeGreaterThanOrEqual(AA);
  },
);

test.each(['bg', 'bg-raised', 'bg-side'])(
  'the outline of a field is visible on %s in both themes',
  (background) => {
    for (const theme of [0, 1]) {
      const [line = '', behind = ''] = [colorsOf('line-field')[theme], colorsOf(background)[theme]];
      expect([theme, contrast(line, behind) >= AA_OUTLINE]).toEqual([theme, true]);
    }
  },
);
