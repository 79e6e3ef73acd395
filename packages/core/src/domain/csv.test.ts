import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRecord } from './csv.ts';

describe('csvRecord', () => {
  test('writes numbers unchanged and null as an empty field, and ends the line with CR LF', () => {
    expect(csvRecord(['a', 1, -2, null, ''])).toBe('a,1,-2,,\r\n');
  });

  test.each([
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['a b;c', '"a b;c"'],
  ])('quotes %j, because it contains a special character', (text, field) => {
    expect(csvRecord([text])).toBe(`${field}\r\n`);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\ra', '="a"&"b"'])('escapes the formula %j', (text) => {
    const quoted = /[",\r\n]/.test(text) ? `"'${text.replaceAll('"', '""')}"` : `'${text}`;
    expect(csvRecord([text])).toBe(`${quoted}\r\n`);
  });

  test.each([
    ['Anna;=1+1', `"Anna;'=1+1"`],
    ['Anna;=1+1;@SUM(A1);', `"Anna;'=1+1;'@SUM(A1);"`],
    ['Anna;"=1+1;Ben', `"Anna;'""=1+1;Ben"`],
    ['=1;=2', `"'=1;'=2"`],
  ])('escapes %j, which some spreadsheets split at the semicolon', (text, field) => {
    expect(csvRecord(['1', text])).toBe(`1,${field}\r\n`);
  });

  test.each([
    ['Pay me\n=1+1', `"Pay me\n'=1+1"`],
    ['Pay me\r=1+1', `"Pay me\r'=1+1"`],
    ['Pay me\r\n@SUM(A1)\n\n-1', `"Pay me\r\n'@SUM(A1)\n\n'-1"`],
    ['Pay me\n\t=1', `"Pay me\n'\t=1"`],
    ['Pay me\n"=1', `"Pay me\n'""=1"`],
    ['a;b\n=1;=2', `"a;b\n'=1;'=2"`],
    ['\n+1', `"\n'+1"`],
    ['\r+1', `"'\r'+1"`],
    ['a\r\r+1', `"a\r\r'+1"`],
    ['a;\r+1', `"a;'\r'+1"`],
  ])('escapes %j, because a program may split the file at the line break', (text, field) => {
    expect(csvRecord(['1', text])).toBe(`1,${field}\r\n`);
  });

  test('escapes every line and every part between semicolons', () => {
    const text = fc.string({
      unit: fc.constantFrom('=', '-', '@', '\t', '\r', '\n', ';', '"', "'", 'a', ' '),
    });
    fc.assert(
      fc.property(text, (cell) => {
        const [[, written] = []] = parse(csvRecord(['1', cell]), { record_delimiter: '\r\n' }) as string[][];
        for (const part of written?.split(/[;\r\n]/) ?? []) expect(part).not.toMatch(/^"*[=+\-@\t]/);
        // The apostrophes are the only change.
        expect(written?.replaceAll("'", '')).toBe(cell.replaceAll("'", ''));
      }),
    );
  });

  test('does not escape a formula character inside a cell or a line', () => {
    expect(csvRecord(['a=1', ' =1', 'anna@blog.example'])).toBe('a=1, =1,anna@blog.example\r\n');
    expect(csvRecord(['a\nb=1\r\n =1'])).toBe('"a\nb=1\r\n =1"\r\n');
  });
});
