import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PAGE, readRecorded, withTables } from './record.ts';
import { isTargetMet, type Section, toMarkdown, toText, withRatio } from './report.ts';

const slow = { name: 'ours', unit: '/s', rounds: [80, 100, 90] };
const base = { name: 'theirs', unit: '/s', rounds: [100, 100, 100] };
const section: Section = {
  id: 'a',
  title: 'A suite',
  text: 'What was done.',
  figures: [base, withRatio(slow, base, { least: 0.9 }), { ...slow, name: 'other', target: { most: 80 } }],
};

test('the tables in docs/performance.md match docs/performance.json', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(withTables(page, readRecorded())).toBe(page);
});

test('a target applies to the median of the ratios, or to the median of the values if there are no ratios', () => {
  expect(section.figures.map(isTargetMet)).toEqual([null, true, false]);
  expect(isTargetMet(withRatio(slow, base, { least: 0.91 }))).toBe(false);
});

test('formats a section as text and as Markdown', () => {
  expect(toText(section)).toBe(
    [
      'A suite',
      '        median  min to max  ratio            target',
      'theirs  100 /s  100 to 100',
      'ours    90 /s   80 to 100   0.90 × "theirs"  ≥ 0.9 ×: met',
      'other   90 /s   80 to 100                    ≤ 80 /s: missed',
    ].join('\n'),
  );
  expect(toMarkdown({ ...section, machine: '2 cores', date: '2026-01-02' })).toContain(
    '| ours   | 90 /s  | 80 to 100  | 0.90 × "theirs" | ≥ 0.9 ×: met    |',
  );
});
