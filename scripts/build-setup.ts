import { buildIfChanged } from './build.ts';

/**
 * Builds the packages once, before the first test that packs them, starts them or loads them in a browser.
 */
export async function setup(): Promise<void> {
  if ((await buildIfChanged()) !== 0) throw new Error('The build failed');
}
