import { delivery } from './mutations/delivery.ts';
import { linker } from './mutations/linker.ts';
import type { Mutation } from './mutations/mutation.ts';
import { pages } from './mutations/pages.ts';
import { visits } from './mutations/visits.ts';

/** The requirements of the tracker, by number. */
export const requirements: Readonly<Record<number, string>> = {
  1: 'one small es2019 build',
  2: 'landing URL',
  3: 'single-page apps and the back/forward cache',
  4: 'prerendered and background pages',
  5: 'exactly one click',
  6: 'attribution',
  7: 'cookie',
  8: 'transport',
  9: 'retry',
  10: 'consent',
  11: 'leads',
  12: 'cross-domain links',
  13: 'bots',
  14: 'no side effects on the page',
  15: 'security policies and integrity',
  16: 'script tag lookup and queued calls',
  17: 'custom paths and names',
  18: 'debugging',
  19: 'module and React',
  20: 'session id',
};

export const mutations: readonly Mutation[] = [...visits, ...delivery, ...linker, ...pages];
