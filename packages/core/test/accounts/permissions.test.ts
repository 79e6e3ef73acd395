import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Access } from '../../src/access/access.ts';
import { createAffkit } from '../../src/create-affkit.ts';
import type { Route } from '../../src/http/route.ts';
import { routeTable } from '../../src/http/route-table.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { createRecorders } from '../../src/tracking/recorders.ts';
import { PERMISSIONS } from './permission-matrix.ts';
import { permissionsPage } from './permissions-page.ts';

async function allRoutes(): Promise<Route[]> {
  const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: 's'.repeat(32) });
  const routes = routeTable(createRecorders(affkit.runtime));
  await affkit.close();
  return routes;
}

describe('the table of permissions', () => {
  it('contains exactly the existing routes', async () => {
    const names = (await allRoutes()).map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(PERMISSIONS).toSorted()).toEqual(names.toSorted());
  });

  it('uses partner access for exactly the routes below /api/partner', async () => {
    const routes = await allRoutes();
    const partnerRoutes = routes.filter(({ path }) => path.startsWith('/api/partner/'));
    expect(partnerRoutes.length).toBeGreaterThan(0);
    expect(routes.filter(({ access }) => access.kind === 'partner')).toEqual(partnerRoutes);
  });

  it('a route does not compile if its `access` is missing or not valid', () => {
    expectTypeOf<Omit<Route, 'access'>>().not.toExtend<Route>();
    expectTypeOf<{ kind: 'session' }>().not.toExtend<Access>();
    expectTypeOf<{ kind: 'credential' }>().not.toExtend<Access>();
    expectTypeOf<{ kind: 'management'; program: true }>().not.toExtend<Access>();
    expectTypeOf<{ kind: 'management'; scope: 'program:fly'; program: true }>().not.toExtend<Access>();
  });

  it('matches docs/permissions.md; update that file with `vitest run permissions -u`', async () => {
    await expect(permissionsPage()).toMatchFileSnapshot('../../../../docs/permissions.md');
  });
});
