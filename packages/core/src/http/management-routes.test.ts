import { describe, expect, test } from 'vitest';
import { isRejection } from '../rejection.ts';
import type { Recorders } from '../tracking/recorders.ts';
import { breakdownRoutes } from './breakdown.ts';
import { managementRoutes } from './management-routes.ts';
import { parse } from './parse.ts';
import { programSetupRoutes } from './program-setup.ts';
import { refusalRoutes } from './refusals.ts';
import { reportingRoutes } from './reporting.ts';
import { bodySchemaOf } from './route.ts';

const trace = reportingRoutes.filter(({ path }) => path.endsWith('/trace'));
// The test uses only the schemas of the routes, so the recorders are never called.
const recorders = {} as Recorders;
const routes = [
  ...managementRoutes,
  ...trace,
  ...breakdownRoutes,
  ...refusalRoutes(recorders),
  ...programSetupRoutes(recorders),
];

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  test('rejects unknown query parameters', () => {
    const parsed = route.query && parse(route.query, { no_such_name: ['1'] });
    expect(isRejection(parsed) && parsed).toMatchObject({
      code: 'invalid_field',
      message: expect.stringContaining('Unknown query parameter "no_such_name"'),
    });
  });

  if (route.method === 'GET') return;
  test('rejects unknown fields', () => {
    const schema = bodySchemaOf(route);
    const parsed = schema && parse(schema, { type: 'flat', no_such_name: 1 });
    expect(isRejection(parsed) && parsed).toMatchObject({
      code: 'invalid_field',
      message: expect.stringMatching(/^Unknown fields? .*"no_such_name"/),
    });
  });
});
