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

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '="a"&"b"'])(
    'escapes the formula %j',
    (text) => {
      const quoted = /[",\r\n]/.test(text) ? `"'${text.replaceAll('"', '""')}"` : `'${text}`;
      expect(csvRecord([text])).toBe(`${quoted}\r\n`);
    },
  );

  test.each([
    ['Anna;=1+1', `"Anna;'=1+1"`],
    ['Anna;=1+1;@SUM(A1);', `"Anna;'=1+1;'@SUM(A1);"`],
    ['Anna;"=1+1;Ben', `"Anna;'""=1+1;Ben"`],
    ['=1;=2', `"'=1;'=2"`],
  ])('escapes %j, which some spreadsheets split at the semicolon', (text, field) => {
    expect(csvRecord(['1', text])).toBe(`1,${field}\r\n`);
  });

  test('does not escape a formula character inside a cell', () => {
    expect(csvRecord(['a=1', ' =1', 'anna@blog.example'])).toBe('a=1, =1,anna@blog.example\r\n');
  });
});
