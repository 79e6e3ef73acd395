import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRecord } from './csv.ts';

test('a record has commas, doubled quotes and a CRLF', () => {
  expect(csvRecord(['a', 1, null, 'b,c', 'say "hi"', 'two\nlines'])).toBe(
    'a,1,,"b,c","say ""hi""","two\nlines"\r\n',
  );
});

test('a text that a spreadsheet would run gets an apostrophe, a number does not', () => {
  const cells = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', -5];
  expect(csvRecord(cells)).toBe(`'=1+1,'+1,'-1,'@x,'\tx,"'\rx",-5\r\n`);
});

test('any record reads back as its cells', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', '=', "'", 'é') });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
      const harmless = cells.map((text) => (/^[=\r]/.test(text) ? `'${text}` : text));
      expect(readRecord(csvRecord(cells))).toEqual(harmless);
    }),
  );
});

/** A reader by the grammar of RFC 4180, for one record. */
function readRecord(record: string): string[] {
  const cells: string[] = [];
  const pattern = /("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r\n$)/gy;
  for (const [, cell = ''] of record.matchAll(pattern)) {
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
  }
  return cells;
}
