import type { z } from 'zod';
import type { Access } from '../../src/access/access.ts';
import type {
  DescribedRoute,
  OtherRoute,
  ReplyDescription,
  RouteDescription,
} from '../../src/http/openapi/description.ts';
import { DESCRIPTIONS } from '../../src/http/openapi/descriptions.ts';
import type { JsonSchema } from '../../src/http/openapi/document.ts';
import { errorCodesOf } from '../../src/http/openapi/errors.ts';
import { emitOpenApi } from '../../src/http/openapi/operations.ts';
import { routeTable } from '../../src/http/route-table.ts';
import type { Runtime } from '../../src/runtime.ts';
import { createRecorders } from '../../src/tracking/recorders.ts';
import type { RowKind } from './tenant.ts';

/** One operation of the OpenAPI document, with the zod schemas of its replies. */
export interface Operation {
  /** `METHOD /path`, with the path as in the route table. */
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly access: Access['kind'];
  readonly isCrossOrigin: boolean;
  readonly isWebhook: boolean;
  /** The kind of row that each path parameter except `:slug` identifies, in the order of the parameters. */
  readonly pathKinds: readonly RowKind[];
  readonly query: Readonly<Record<string, JsonSchema>>;
  readonly body: JsonSchema | undefined;
  readonly replies: ReadonlyMap<number, { readonly mediaType: string; readonly schema?: z.ZodType }>;
  /** The documented error codes. */
  readonly errors: ReadonlySet<string>;
  /** All methods of the path. */
  readonly methods: ReadonlySet<string>;
}

export interface Api {
  readonly operations: readonly Operation[];
  /** The named schemas of the document. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** The kind of row that `:id` identifies. The key is the path segment before `:id`. */
const KIND_OF_ID: Readonly<Record<string, RowKind>> = {
  workspaces: 'workspace',
  'affiliate-programs': 'program',
  'api-keys': 'key',
  members: 'member',
  sessions: 'session',
  'processor-connections': 'connection',
  notifications: 'notification',
};
const KIND_OF_PARAMETER: Readonly<Record<string, RowKind>> = {
  programId: 'program',
  partnerId: 'partner',
  linkId: 'link',
  customerId: 'customer',
  policyId: 'policy',
  commissionId: 'commission',
  payoutId: 'payout',
  batchId: 'payoutBatch',
  runId: 'payoutRun',
  endpointId: 'webhookEndpoint',
  deliveryId: 'webhookDelivery',
  connectionId: 'connection',
};

/** Reads the operations from the document of all routes, so that the tests attack a new route automatically. */
export function listOperations(runtime: Runtime, otherRoutes: readonly OtherRoute[] = []): Api {
  const described: (readonly [DescribedRoute, RouteDescription])[] = [];
  const descriptions: Readonly<Record<string, RouteDescription>> = DESCRIPTIONS;
  const routes = routeTable(createRecorders(runtime), otherRoutes);
  for (const route of routes) {
    const description = descriptions[`${route.method} ${route.path}`];
    if (!description) throw new Error(`${route.method} ${route.path} has no description`);
    described.push([route, description]);
  }
  for (const { path, query, ...description } of otherRoutes) {
    const access = { kind: 'public' } as const;
    described.push([{ method: 'GET', path, access, ...(query && { query }) }, description]);
  }
  const document = emitOpenApi(routes, DESCRIPTIONS, otherRoutes);
  const methods = Map.groupBy(described, ([{ path }]) => path);
  const operations = described.map(([route, description]): Operation => {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = document.paths[path]?.[route.method.toLowerCase()];
    if (!operation) throw new Error(`${route.method} ${path} is not in the document`);
    const parameters = operation.parameters ?? [];
    return {
      key: `${route.method} ${route.path}`,
      method: route.method,
      path: route.path,
      access: route.access.kind,
      isCrossOrigin: route.crossOrigin === true,
      isWebhook: route.path.includes('/webhooks/'),
      pathKinds: pathKindsOf(route),
      query: Object.fromEntries(
        parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, schema]),
      ),
      body: operation.requestBody?.content['application/json']?.schema,
      replies: new Map(
        Object.entries(description.replies).map(([status, reply]: [string, ReplyDescription]) => [
          Number(status),
          { mediaType: reply.mediaType ?? 'application/json', ...(reply.schema && { schema: reply.schema }) },
        ]),
      ),
      errors: new Set<string>(errorCodesOf(route, description)),
      methods: new Set((methods.get(route.path) ?? []).map(([{ method }]) => method)),
    };
  });
  return { operations, schemas: document.components.schemas };
}

function pathKindsOf({ method, path }: DescribedRoute): RowKind[] {
  if (method === 'DELETE' && path.endsWith('/affiliate-programs/:id')) return ['emptyProgram'];
  const parts = path.split('/');
  return parts.flatMap((part, index): RowKind[] => {
    // Slugs are public.
    if (!part.startsWith(':') || part === ':slug') return [];
    const name = part.slice(1);
    const kind =
      path.startsWith('/api/partner/notifications/') && name === 'id'
        ? 'partnerNotification'
        : (KIND_OF_PARAMETER[name] ?? KIND_OF_ID[parts[index - 1] ?? '']);
    if (kind === undefined) throw new Error(`The kind of ${part} in ${path} is not known`);
    return [kind];
  });
}
