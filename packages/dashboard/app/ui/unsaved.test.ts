import { expect, test } from 'vitest';
import { changedFields, withoutSent } from './unsaved.ts';

test('only fields whose values differ from the stored ones are sent', () => {
  const stored = { name: 'Tea', days: 30, tags: ['a', 'b'], logo: null };
  expect(changedFields({ ...stored, days: 31, tags: ['a'] }, stored)).toEqual({ days: 31, tags: ['a'] });
  expect(changedFields({ ...stored, tags: ['a', 'b'] }, stored)).toEqual({});
});

test('keeps what the user typed while a save was in flight', () => {
  interface Draft {
    readonly name: string;
    readonly site: string;
    readonly days: string;
  }
  const sent: Partial<Draft> = { name: 'Tea', site: 'tea.example' };
  expect(withoutSent<Draft>({ ...sent }, sent)).toEqual({});
  expect(withoutSent<Draft>({ ...sent, name: 'Tea Shop', days: '7' }, sent)).toEqual({
    name: 'Tea Shop',
    days: '7',
  });
});
