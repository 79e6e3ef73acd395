import { expect, test } from 'vitest';
import type { Program } from '../api/types.ts';
import { commandsFor } from './commands.ts';
import { PROGRAM_PAGES } from './nav.ts';

// The menu reads no other field of a program.
const programs = [
  { id: 1, name: 'Leaf & Kettle' },
  { id: 2, name: 'Coffee Payouts' },
  ...Array.from({ length: 40 }, (_, index) => ({ id: index + 3, name: `Shop ${index}` })),
] as Program[];
const [program] = programs as [Program];

function viewWith(may: (permission: string) => boolean) {
  return { program, api: '/api', page: '/p/1', may };
}

const pathsFor = (text: string, may: (permission: string) => boolean = () => true) =>
  commandsFor(text, { view: viewWith(may), programs }).map(({ path }) => path);

test('without a text, lists the pages and some of the other programs', () => {
  const paths = pathsFor('');
  expect(paths.slice(0, PROGRAM_PAGES.length)).toEqual(PROGRAM_PAGES.map(({ path }) => `/p/1${path}`));
  expect(paths.slice(PROGRAM_PAGES.length)).toHaveLength(20);
  expect(paths).not.toContain('/p/1/p/1');
});

test('finds pages and programs by any of their words, and offers to explain the text last', () => {
  expect(pathsFor('PAYOUT')).toEqual(['/p/1/payouts', '/p/2', '/p/1/why?q=PAYOUT']);
  expect(pathsFor('shop 39')).toEqual(['/p/42', '/p/1/why?q=shop%2039']);
});

test.each(['#12', 'clk_9f', 'order-77', 'ana@shop.example'])('offers to explain %s first', (text) => {
  expect(pathsFor(text)[0]).toBe(`/p/1/why?q=${encodeURIComponent(text)}`);
});

test('lists only what the role allows', () => {
  expect(pathsFor('', (permission) => permission === 'dashboard:view')[0]).toBe('/p/1');
  expect(pathsFor('order-77', () => false)).toEqual([]);
  expect(commandsFor('order-77', { view: null, programs: [] })).toEqual([]);
});
