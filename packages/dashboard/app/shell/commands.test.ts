import { expect, test } from 'vitest';
import type { Program } from '../api/types.ts';
import { commandsFor, USER_PAGES } from './commands.ts';
import { PROGRAM_PAGES, WORKSPACE_PAGES } from './nav.ts';

// The menu uses no other fields of a program.
const programs = [
  { id: 1, name: 'Leaf & Kettle' },
  { id: 2, name: 'Coffee Payouts' },
  ...Array.from({ length: 40 }, (_, index) => ({ id: index + 3, name: `Shop ${index}` })),
] as Program[];
const [program] = programs as [Program];

function viewWith(may: (permission: string) => boolean) {
  return { program, api: '/api', page: '/p/1', may };
}

function workspaceWith(may: (permission: string) => boolean) {
  return { id: 7, name: 'Tea', page: '/w/7', programs, may };
}

const pathsFor = (text: string, may: (permission: string) => boolean = () => true) =>
  commandsFor(text, { view: viewWith(may), workspace: workspaceWith(may), programs }).map(({ path }) => path);

test('without a text, lists the pages and some of the other programs', () => {
  const paths = pathsFor('');
  const pages = [
    ...PROGRAM_PAGES.map(({ path }) => `/p/1${path}`),
    ...WORKSPACE_PAGES.map(({ path }) => `/w/7${path}`),
    ...USER_PAGES.map(({ path }) => path),
    '/p/1/partners?invite=1',
    '/p/1/payouts?pay=1',
  ];
  expect(paths.slice(0, pages.length)).toEqual(pages);
  expect(paths.slice(pages.length)).toHaveLength(20);
  expect(paths).not.toContain('/p/1/p/1');
});

test('finds pages and programs by any of their words; the last entry looks for the text on the page "why"', () => {
  expect(pathsFor('audit')[0]).toBe('/w/7/audit');
  expect(pathsFor('PAYOUT')).toEqual(['/p/1/payouts', '/p/2', '/p/1/why?q=PAYOUT']);
  expect(pathsFor('shop 39')).toEqual(['/p/42', '/p/1/why?q=shop%2039']);
});

test.each(['#12', 'clk_9f', 'order-77', 'ana@shop.example'])('offers to explain %s first', (text) => {
  expect(pathsFor(text)[0]).toBe(`/p/1/why?q=${encodeURIComponent(text)}`);
});

test('lists only what the role allows', () => {
  expect(pathsFor('', (permission) => permission === 'dashboard:view')[0]).toBe('/p/1');
  expect(pathsFor('order-77', () => false)).toEqual([]);
  expect(pathsFor('audit', (permission) => permission !== 'audit-log:read')).not.toContain('/w/7/audit');
  expect(commandsFor('order-77', { view: null, workspace: null, programs: [] })).toEqual([]);
});

test('finds actions by name, and lists matching partners above the entry that explains the text', () => {
  expect(pathsFor('invite')).toEqual(['/p/1/partners?invite=1', '/p/1/why?q=invite']);
  const partners = [{ id: 5, name: 'Steeping Notes' }];
  const found = commandsFor('steeping', { view: viewWith(() => true), workspace: null, programs, partners });
  expect(found.map(({ path }) => path)).toEqual(['/p/1/partners/5', '/p/1/why?q=steeping']);
});
