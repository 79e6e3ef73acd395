import { describe, expect, test } from 'vitest';
import { csvRecord } from './csv.ts';

describe('a CSV record', () => {
  test('ends in CR LF; numbers stand as they are, null is empty', () => {
    expect(csvRecord(['a', 1, -2, null, ''])).toBe('a,1,-2,,\r\n');
  });

  test.each([
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['a b;c', '"a b;c"'],
  ])('quotes %j where it must', (text, field) => {
    expect(csvRecord([text])).toBe(`${field}\r\n`);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '="a"&"b"'])(
    'takes the power from %j',
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
  ])('takes it from %j too, which some spreadsheets part at the semicolon', (text, field) => {
    expect(csvRecord(['1', text])).toBe(`1,${field}\r\n`);
  });

  test('leaves such a character alone inside a text', () => {
    expect(csvRecord(['a=1', ' =1', 'anna@blog.example'])).toBe('a=1, =1,anna@blog.example\r\n');
  });
});
