import { expect, test } from 'vitest';
import { qrPathOf, svgFile } from './qr-path.ts';

const MODULES = [
  [true, true, false, true],
  [false, false, false, false],
  [false, true, true, true],
];

test('qrPathOf draws a rectangle for each run of dark modules', () => {
  expect(qrPathOf(MODULES)).toBe('M0 0h2v1h-2zM3 0h1v1h-1zM1 2h3v1h-3z');
});

test('svgFile draws the code on white', () => {
  expect(svgFile(MODULES, 4)).toContain('viewBox="0 0 4 4"');
  expect(svgFile(MODULES, 4)).toContain('<path fill="#fff" d="M0 0h4v4H0z"/>');
});
