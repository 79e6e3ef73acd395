import { duplicateSaleReply, ERRORS, errorReply } from '@affkit/protocol';
import { z } from 'zod';
import { bodySchemaOf } from '../route.ts';
import { SECURITY_SCHEMES, SESSION_SECURITY, scopeOf, securityOf } from './access.ts';
import {
  type DescribedRoute,
  type Descriptions,
  joinParagraphs,
  type OtherRoute,
  type RouteDescription,
  TAGS,
} from './description.ts';
import type { Example, MediaType, OpenApiDocument, Operation, Parameter, Response } from './document.ts';
import { type ErrorExample, errorBody, errorCodesOf, errorExampleOf, errorText } from './errors.ts';
import { convertSchema, SchemaRegistry } from './schemas.ts';

const OPENAPI_INFO = {
  title: 'Affkit',
  version: '1.0.0',
  summary: 'Affiliate tracking: clicks, leads, sales, refunds and the commissions of partners.',
  description: joinParagraphs(
    'Bodies are JSON of at most 64 KiB. Some routes accept more: program pages and applications 256 KiB, webhooks 1 MiB, and `/api/v1/track/exists` 1.5 MiB. The imports accept a CSV file instead: partners of at most 256 KiB, and payout results of at most 4 MiB.',
    'In a request, a field with `null` counts as absent, and so does an id with an empty string. Routes of the management API and of the partner portal reject unknown fields and query parameters with a 400 that names them; all other routes ignore them. Later versions may add fields to replies.',
    'An error is `{error, code, request_id}`. Branch on `code`, not on `error`. The header `X-Should-Retry` says whether the same request may succeed later, and `Retry-After` says how many seconds to wait. A request to a known path with another method gets a 405 with `Allow`.',
  ),
  contact: { name: 'Affkit' },
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

const REPLY_HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request, also in the logs.',
    schema: { type: 'string' },
  },
  'X-Should-Retry': {
    description: 'Whether the same request may succeed later.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 1 },
  },
} as const;

/** The noun for a path parameter, by the path segment before the parameter. */
const PATH_PARAMETER_NOUNS: Readonly<Record<string, string>> = {
  status: 'program',
  events: 'program',
  performance: 'program',
  'affiliate-programs': 'program',
  partners: 'partner',
  links: 'link',
  'commission-policies': 'policy',
  commissions: 'commission',
  payouts: 'payout',
  'payout-batches': 'batch',
  'payout-runs': 'proposal',
  'api-keys': 'key',
  members: 'member',
  sessions: 'session',
  notifications: 'notification',
  processor: 'connection',
  'processor-connections': 'connection',
};

const SLUG_PARAMETER: Parameter = {
  name: 'slug',
  in: 'path',
  required: true,
  description: 'Slug of the program.',
  schema: { type: 'string', pattern: '^[a-z0-9-]{1,64}$' },
};

interface Described {
  readonly route: DescribedRoute;
  readonly description: RouteDescription;
}

/** Creates the OpenAPI document of all described routes and of the embedding app's routes. */
export function emitOpenApi(
  routes: readonly DescribedRoute[],
  descriptions: Descriptions,
  otherRoutes: readonly OtherRoute[] = [],
): OpenApiDocument {
  const texts: Readonly<Record<string, RouteDescription>> = descriptions;
  const described = [
    ...routes.flatMap((route): Described[] => {
      const description = texts[`${route.method} ${route.path}`];
      return description ? [{ route, description }] : [];
    }),
    ...otherRoutes.map(({ path, query, ...description }): Described => {
      const route = { method: 'GET', path, access: { kind: 'public' }, ...(query && { query }) } as const;
      return { route, description };
    }),
  ];
  const registry = new SchemaRegistry();
  for (const { route, description } of described) {
    const schema = bodySchemaOf(route);
    if (schema && description.body) {
      registry.addRequest(description.body.name, schema, { isRaw: route.readsBytes === true });
    }
    for (const { schema } of Object.values(description.replies)) if (schema) registry.addReply(schema);
  }
  const schemas = registry.build();
  const paths: Record<string, Record<string, Operation>> = {};
  const errors = new Map<string, ErrorExample>();
  for (const { route, description } of described) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeOperation(route, description, registry),
    };
    for (const example of errorExamplesOf(route, description)) errors.set(example.name, example);
  }
  const tags = new Set(described.map(({ description }) => description.tag));
  return {
    openapi: '3.1.1',
    info: OPENAPI_INFO,
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => tags.has(name as keyof typeof TAGS))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: REPLY_HEADERS,
      examples: Object.fromEntries(
        [...errors.values()]
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map((example) => [example.name, { summary: errorText(example), value: errorBody(example) }]),
      ),
      schemas,
    },
  };
}

function describeOperation(
  route: DescribedRoute,
  description: RouteDescription,
  registry: SchemaRegistry,
): Operation {
  const scope = scopeOf(route.access);
  const parameters = [...pathParameters(route.path), ...queryParameters(route.query)];
  const sentences = [
    description.description,
    scope === undefined ? undefined : `Requires \`${scope}\`.`,
  ].filter((sentence) => sentence !== undefined);
  return {
    operationId: description.id,
    tags: [description.tag],
    summary: description.summary,
    ...(sentences.length > 0 && { description: sentences.join(' ') }),
    security: description.takesSession ? [{}, ...SESSION_SECURITY] : securityOf(route.access),
    ...(scope !== undefined && { 'x-scope': scope }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBodyOf(route, description, registry),
    responses: { ...describeReplies(description, registry), ...describeErrors(route, description, registry) },
  };
}

function requestBodyOf(
  route: DescribedRoute,
  { body, file }: RouteDescription,
  registry: SchemaRegistry,
): Pick<Operation, 'requestBody'> {
  if (file) {
    const content = { schema: { type: 'string' }, examples: nameExamples(file.examples) };
    return { requestBody: { required: true, content: { [file.mediaType]: content } } };
  }
  const schema = bodySchemaOf(route);
  if (schema === undefined || body === undefined) return {};
  const json = { schema: registry.requestOf(schema), examples: nameExamples(body.examples) };
  const required = !schema.safeParse({}).success;
  if (!route.crossOrigin) return { requestBody: { required, content: { 'application/json': json } } };
  const texts = Object.entries(body.examples).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const plain = { schema: { type: 'string' }, examples: nameExamples(Object.fromEntries(texts)) };
  return { requestBody: { required, content: { 'application/json': json, 'text/plain': plain } } };
}

function describeReplies(description: RouteDescription, registry: SchemaRegistry): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(description.replies).map(([status, { text, schema, mediaType, examples }]) => {
      const media = {
        schema: schema ? registry.replyOf(schema) : { type: 'string' },
        examples: nameExamples(examples),
      };
      const content = { [mediaType ?? 'application/json']: media };
      return [status, { description: text, headers: headersOf(['X-Request-Id']), content }];
    }),
  );
}

function describeErrors(
  route: DescribedRoute,
  description: RouteDescription,
  registry: SchemaRegistry,
): Record<string, Response> {
  const byStatus = Map.groupBy(errorExamplesOf(route, description), ({ code }) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, examples]) => {
      const codes = examples.map(({ code }) => code);
      const isDuplicate = codes.includes('duplicate_transaction');
      const schema = registry.replyOf(isDuplicate ? duplicateSaleReply : errorReply);
      const retry = status === 429 || status === 503 ? (['Retry-After'] as const) : [];
      const media: MediaType = {
        schema,
        examples: Object.fromEntries(
          examples.map(({ name, code }) => [code, { $ref: `#/components/examples/${name}` }]),
        ),
      };
      return [
        String(status),
        {
          description: codes.map((code) => `\`${code}\``).join(', '),
          headers: headersOf(['X-Request-Id', 'X-Should-Retry', ...retry]),
          content: { 'application/json': media },
        },
      ];
    }),
  );
}

function errorExamplesOf(route: DescribedRoute, description: RouteDescription): ErrorExample[] {
  const { access } = route;
  const takesSession = description.takesSession === true;
  return errorCodesOf(route, description).map((code) => errorExampleOf(code, { access, takesSession }));
}

function headersOf(names: readonly (keyof typeof REPLY_HEADERS)[]): Response['headers'] {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns the examples under keys that OpenAPI tools accept. The original names become summaries. */
function nameExamples(examples: Readonly<Record<string, unknown>>): Record<string, Example> {
  return Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [
      summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      { summary, value },
    ]),
  );
}

function pathParameters(path: string): Parameter[] {
  const parts = path.split('/');
  return parts.flatMap((part, index): Parameter[] => {
    if (!part.startsWith(':')) return [];
    if (part === ':slug') return [SLUG_PARAMETER];
    const noun = PATH_PARAMETER_NOUNS[parts[index - 1] ?? ''] ?? 'row';
    return [
      {
        name: part.slice(1),
        in: 'path',
        required: true,
        description: `Id of the ${noun}.`,
        schema: { type: 'integer', minimum: 1 },
      },
    ];
  });
}

function queryParameters(query: z.ZodType | undefined): Parameter[] {
  const { properties = {} } = query ? convertSchema(query) : {};
  const fields = shapeOf(query);
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => {
    const allowEmptyValue = fields?.[name]?.safeParse(['']).success === true;
    return {
      name,
      in: 'query',
      required: false,
      ...(allowEmptyValue && { allowEmptyValue }),
      description,
      schema,
    };
  });
}

function shapeOf(query: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> | undefined {
  const object = query instanceof z.ZodPipe ? query.out : query;
  // The cast is safe: all parameters are schemas of zod, not of the smaller `zod/core`.
  return object instanceof z.ZodObject ? (object.shape as Record<string, z.ZodType>) : undefined;
}
