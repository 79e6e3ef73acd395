import { delivery } from './mutations/delivery.ts';
import type { Mutation } from './mutations/mutation.ts';
import { pages } from './mutations/pages.ts';
import { visits } from './mutations/visits.ts';

/** What the points are about, by their number. */
export const requirements: Readonly<Record<number, string>> = {
  1: 'one source, one small es2019 build',
  2: 'the landing URL',
  3: 'single-page apps, pages kept by the browser',
  4: 'prerendered and background pages',
  5: 'exactly one click',
  6: 'who gets the credit',
  7: 'the cookie',
  8: 'transport',
  9: 'retry',
  10: 'consent',
  11: 'leads',
  12: 'across domains',
  13: 'robots',
  14: 'never in the way',
  15: 'policies and integrity',
  16: 'found without currentScript, and the queue',
  17: "the operator's names",
  18: 'debugging',
  19: 'the module, and React',
};

export const mutations: readonly Mutation[] = [...visits, ...delivery, ...pages];
