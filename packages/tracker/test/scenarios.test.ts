import { expect, it } from 'vitest';
import { scenariosPage } from './scenarios-page.ts';

it('docs/browsers.md lists the scenarios of each engine; update it with `vitest run scenarios -u`', async () => {
  await expect(scenariosPage()).toMatchFileSnapshot('../../../docs/browsers.md');
});
