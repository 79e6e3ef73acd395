import { buildIfChanged } from './build.ts';

/** Builds what the tests pack, start or load in a browser, once and before the first of them. */
export async function setup(): Promise<void> {
  if ((await buildIfChanged()) !== 0) throw new Error('The packages can not be built');
}
