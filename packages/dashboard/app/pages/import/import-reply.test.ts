import { expect, test } from 'vitest';
import { imported } from '#messages/import.ts';
import { type ImportRow, invitationLines, lineOf } from './import-reply.ts';

const CSV = 'name,email\r\nAna,ana@partner.example\r\n\r\nBen,ben@partner.example';

test('lineOf finds the row of a result', () => {
  expect(lineOf(CSV, 2)).toBe('Ana,ana@partner.example');
  expect(lineOf(CSV, 4)).toBe('Ben,ben@partner.example');
  expect(lineOf(CSV, 9)).toBe('');
});

test('a message leaves out counts of 0', () => {
  const counts = { created: 2, existing: 0, failed: 0 };
  expect(imported(counts)).toBe('Imported: 2 new.');
  expect(imported({ ...counts, existing: 1, failed: 1 })).toBe(
    'Imported: 2 new, 1 already in the program, 1 with an error.',
  );
});

test('invitationLines has a line for each invited partner', () => {
  const rows: ImportRow[] = [
    { line: 2, ok: true, is_new: true, partner_id: 1, invite_token: 'affi_1' },
    { line: 4, ok: true, is_new: false, partner_id: 2 },
  ];
  expect(invitationLines(CSV, rows, (token) => `/invite#${token}`)).toBe(
    'Ana,ana@partner.example\t/invite#affi_1',
  );
});
