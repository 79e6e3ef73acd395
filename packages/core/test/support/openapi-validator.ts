import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Affkit } from '../../src/create-affkit.ts';
import type { HttpReply, HttpRequest } from '../../src/http/message.ts';
import { DESCRIPTIONS } from '../../src/http/openapi/descriptions.ts';
import type { OpenApiDocument, Operation } from '../../src/http/openapi/document.ts';
import { emitOpenApi } from '../../src/http/openapi/operations.ts';
import { routeTable } from '../../src/http/route-table.ts';
import { createRecorders } from '../../src/tracking/recorders.ts';

/** A request and the reply to it. */
interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly requestText: string;
  readonly status: number;
  readonly body: unknown;
}

/** Codes of replies to requests that match no operation. */
const NO_OPERATION: readonly unknown[] = ['method_not_allowed', 'route_not_found'];

class OpenApiValidator {
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #paths: readonly { readonly pattern: RegExp; readonly path: string }[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #coercing = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #parameters = new Map<object, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    addFormats.default(this.#ajv);
    addFormats.default(this.#coercing);
    this.#ajv.addSchema(document, 'api');
    // As in the router, a literal segment takes precedence over a parameter.
    this.#paths = Object.keys(document.paths)
      .sort((one, other) => one.split('{').length - other.split('{').length)
      .map((path) => ({
        path,
        pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      }));
    this.#operations = new Map(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
      ),
    );
  }

  /** Returns how the exchange violates the document. A rejected request may have any content. */
  findViolations(exchange: Exchange): string[] {
    const found = this.#paths.find(({ pattern }) => pattern.test(exchange.path));
    const key = `${exchange.method.toLowerCase()} ${found?.path}`;
    const operation = this.#operations.get(key);
    if (!found || !operation) return [];
    const pointer = `api#/paths/${escapePointer(found.path)}/${exchange.method.toLowerCase()}`;
    const isAccepted = exchange.status < 300;
    return [
      ...(isAccepted ? this.#violationsOfRequest(exchange, operation, pointer) : []),
      ...this.#violationsOfReply(exchange, operation, pointer),
    ];
  }

  #violationsOfRequest({ requestText, query }: Exchange, operation: Operation, pointer: string): string[] {
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const faults = parameters.flatMap(({ name, schema, allowEmptyValue }) => {
      const value = query.get(name);
      if (value === null || (value === '' && allowEmptyValue)) return [];
      const validate = this.#parameterValidator(schema);
      return validate({ value })
        ? []
        : [`${name}=${value} is not valid: ${this.#coercing.errorsText(validate.errors)}`];
    });
    if (!operation.requestBody?.content['application/json'] || requestText === '') return faults;
    const body: unknown = JSON.parse(requestText);
    const schema = `${pointer}/requestBody/content/application~1json/schema`;
    return [...faults, ...this.#violationsOf('request', schema, body)];
  }

  #parameterValidator(schema: object): ValidateFunction {
    const cached = this.#parameters.get(schema);
    if (cached) return cached;
    const validate = this.#coercing.compile({ type: 'object', properties: { value: schema } });
    this.#parameters.set(schema, validate);
    return validate;
  }

  #violationsOfReply({ status, body }: Exchange, operation: Operation, pointer: string): string[] {
    const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
    if (NO_OPERATION.includes(code)) return [];
    const response = operation.responses[String(status)];
    if (!response) return [`the status ${status} is not documented (${String(code)})`];
    const media = response.content['application/json'];
    if (!media) return [];
    const schema = `${pointer}/responses/${status}/content/application~1json/schema`;
    const isKnown = status < 400 || Object.hasOwn(media.examples, String(code));
    const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
    const value: unknown = JSON.parse(typeof text === 'string' ? text : JSON.stringify(text));
    return [
      ...(isKnown ? [] : [`the code ${String(code)} is not documented`]),
      ...this.#violationsOf('reply', schema, value),
    ];
  }

  #violationsOf(kind: string, pointer: string, value: unknown): string[] {
    const validate = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: pointer });
    this.#validators.set(pointer, validate);
    return validate(value) ? [] : [`the ${kind} is not valid: ${this.#ajv.errorsText(validate.errors)}`];
  }
}

let shared: OpenApiValidator | undefined;

/**
 * Handles a request, and compares the request and the reply with the OpenAPI document.
 * @param text the body of the request
 * @throws Error if the service accepted a request that the document forbids, or the reply does not match
 */
export async function handleChecked(
  { handle, runtime }: Affkit,
  request: HttpRequest,
  text: string,
): Promise<HttpReply | null> {
  const streamed = await handle(request);
  if (!streamed) return null;
  const { body: content } = streamed;
  const isStream = content instanceof ReadableStream;
  const reply = isStream ? { ...streamed, body: await new Response(content).text() } : streamed;
  // All tests share the validator, because the document does not depend on the runtime and takes long to build.
  shared ??= new OpenApiValidator(emitOpenApi(routeTable(createRecorders(runtime)), DESCRIPTIONS));
  const { method, path, query } = request;
  const { status } = reply;
  const body = reply.body instanceof Uint8Array ? new TextDecoder().decode(reply.body) : reply.body;
  const violations = shared.findViolations({ method, path, query, requestText: text, status, body });
  if (violations.length === 0) return reply;
  const sent = `${method} ${path}?${query} ${text.slice(0, 500)}`;
  const received = JSON.stringify(body).slice(0, 1_000);
  throw new Error(`${sent} violates the OpenAPI document:\n${violations.join('\n')}\n${received}`);
}

function escapePointer(path: string): string {
  return encodeURI(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}
