import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { refusals } from '#messages/refusals.ts';

const guide = readFileSync(new URL('../../../../docs/troubleshooting.md', import.meta.url), 'utf8');

/** Returns the codes in the tables under the given headings of the guide. */
function codesOf(...headings: readonly string[]): string[] {
  const sections = guide
    .split(/^## /m)
    .filter((section) => headings.some((text) => section.startsWith(text)));
  return sections.flatMap((section) =>
    [...section.matchAll(/^\| `(\w+)` +\| \d{3} /gm)].map(([, code = '']) => code),
  );
}

test('each code of a rejected tracking call has a sentence that says what to do', () => {
  const codes = codesOf('A click is', 'A lead is', 'A sale is', 'A refund is');
  expect(codes.length).toBeGreaterThan(25);
  expect(codes.filter((code) => refusals[code] === undefined)).toEqual([]);
});

test('no sentence contains a field name or path of the API', () => {
  expect(Object.values(refusals).filter((text) => /_|\/api\//.test(text))).toEqual([]);
});
