/** The JSON Schema keywords that occur in Affkit's OpenAPI document. */
interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly description?: string;
}

interface Content {
  readonly [mediaType: string]: { readonly schema: JsonSchema };
}

interface Operation {
  readonly summary: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  /** The scope or permission that the route requires. */
  readonly 'x-scope'?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The parts of Affkit's OpenAPI document that describe operations. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The maximum number of values that are listed for an enumeration. */
const MAX_LITERALS = 40;

/**
 * The routes that are not part of the management API. These are the tracking routes, the partner portal,
 * webhooks of processors, sign-in, and documents. Every other route needs a method in the client.
 */
const NOT_MANAGEMENT = [
  /^\w+ \/(api\/v1|p)\//,
  /^POST \/api\/tracking\/(click|lead|sale|refund)$/,
  /^\w+ \/api\/partner\//,
  /^POST \/api\/webhooks\//,
  /^POST \/api\/auth\/(login|logout|(accept-)?invite|password(-reset(\/confirm)?)?)$/,
  /^(GET|PUT) \/api\/auth\/me$/,
  /^GET \/(api\/openapi\.json|docs)$/,
  // A page for an iframe, with the same HTML as in the reply to `GET …/email-templates`.
  /\/email-templates\/preview$/,
];

/** Returns the operations of the management API by `METHOD /path`. */
export function managementOperations(document: OpenApiDocument): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.responses === undefined) continue;
      const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;
      if (!NOT_MANAGEMENT.some((pattern) => pattern.test(route))) operations.set(route, operation);
    }
  }
  return operations;
}

/**
 * Returns the comments in the route files of `packages/node/src/management` by route. Each entry consists of the
 * comment of the resource and the comment of the method.
 *
 * @param source the text of these files
 */
export function commentsByRoute(source: string): Map<string, string> {
  const comments = new Map<string, string>();
  let ofResource = '';
  const entry = /(?:\/\*\*((?:(?!\*\/).)*)\*\/\s*)?\b\w+: (?:\{|\w+\(\s*[`']([^`']+)[`'])/gs;
  for (const [, lines = '', route] of source.matchAll(entry)) {
    const text = lines.replace(/\n *\*/g, '');
    if (route === undefined) ofResource = text;
    else comments.set(withPrefix(route), ofResource + text);
  }
  return comments;
}

/** Replaces the constants in the path of a route, such as `${PROGRAM}`, with their values. */
function withPrefix(route: string): string {
  const management = '/api/advertiser';
  return route.replace(/\$\{(\w+)\}/, (_all, name) =>
    name === 'PROGRAM' ? `${management}/affiliate-programs` : management,
  );
}

/** Returns the source of `packages/node/src/management/operations.ts`. */
export function operationTypes(document: OpenApiDocument): string {
  const operations = [...managementOperations(document)];
  const routes = operations.map(
    ([route, operation]) => `${comment(operation.summary, '  ')}  '${route}': ${typesOf(operation)};\n`,
  );
  const interfaceText = `/** The types of every management route. */\nexport interface Operations {\n${routes.join('')}}\n`;
  const named = new Set<string>();
  const texts: string[] = [];
  const addNamed = (text: string) => {
    for (const name of Object.keys(document.components.schemas).sort()) {
      if (named.has(name) || !new RegExp(`\\b${name}\\b(?!['?:])`).test(withoutComments(text))) continue;
      named.add(name);
      const schema = document.components.schemas[name] ?? {};
      const body = `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')};\n`;
      texts.push(body);
      addNamed(body);
    }
  };
  addNamed(interfaceText);
  const header =
    '// Generated from the OpenAPI document by packages/testing/test/management.test.ts. Update: `vitest run -u` on that file.\n';
  return [header, interfaceText, ...texts.sort()].join('\n');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*\*.*?\*\//gs, '').replace(/'[^']*'/g, "''");
}

function typesOf({ parameters = [], requestBody, responses }: Operation): string {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const fields: string[] = [];
  if (query.length > 0) {
    const properties = Object.fromEntries(
      query.map(({ name, schema, description }) => [
        name,
        {
          ...(isFlag(schema) ? { type: 'boolean' } : schema),
          ...(description !== undefined && { description }),
        },
      ]),
    );
    const required = query.filter((parameter) => parameter.required === true).map(({ name }) => name);
    fields.push(`query: ${typeOf({ type: 'object', properties, required }, '    ')}`);
  }
  const bodySchema = requestBody?.content['application/json']?.schema;
  if (bodySchema !== undefined) fields.push(`body: ${typeOf(bodySchema, '    ')}`);
  else if (requestBody?.content['text/csv'] !== undefined) fields.push('csv: string');
  const content = (responses['200'] ?? responses['201'])?.content;
  const reply = content?.['application/json']?.schema;
  fields.push(`reply: ${reply === undefined ? 'ReadableStream<Uint8Array>' : typeOf(reply, '    ')}`);
  return `{\n${fields.map((field) => `    ${field};\n`).join('')}  }`;
}

/**
 * Whether a query parameter is a flag that `1` turns on. The client accepts a boolean for such a parameter.
 */
function isFlag({ enum: values = [] }: JsonSchema): boolean {
  return values.includes('1') && values.every((value) => value === '0' || value === '1');
}

function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, enum: values, anyOf, oneOf, type } = schema;
  if ($ref !== undefined) return $ref.replace(/^.*\//, '');
  if ('const' in schema) return literal(schema.const);
  // Only the list of error codes is this long. Newer servers may add codes, so the type is a plain string.
  if (values !== undefined && values.length > MAX_LITERALS) return 'string';
  if (values !== undefined) return union(values.map(literal));
  const options = anyOf ?? oneOf;
  if (options !== undefined) return union(options.map((one) => typeOf(one, indent)));
  if (Array.isArray(type)) return union(type.map((one: string) => typeOf({ ...schema, type: one }, indent)));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `Array<${typeOf(schema.items ?? {}, indent)}>`;
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  if (properties === undefined || Object.keys(properties).length === 0) {
    const values =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return additionalProperties === false ? 'Record<string, never>' : `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const type = typeOf(schema, inner);
    return `${comment(schema.description, inner)}${inner}${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return (distinct.includes('string') ? distinct.filter((type) => !type.startsWith("'")) : distinct).join(
    ' | ',
  );
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}
