import {
  ANY_TYPE,
  apiKeyRow,
  auditRow,
  changedPartnerRow,
  commissionRow,
  commissionTerms,
  customerRow,
  duplicateSaleReply,
  emailRow,
  errorReply,
  eventRow,
  linkRow,
  listedLinkRow,
  listedPolicyRow,
  marketplaceRow,
  maskedPayoutDetailsRow,
  memberRow,
  notificationRow,
  partnerDetailRow,
  partnerRow,
  payoutBatchDetailRow,
  payoutBatchRow,
  payoutDetailsRow,
  payoutRow,
  payoutRunRow,
  payoutSettingsRow,
  policyRow,
  portalNotificationRow,
  processorConnectionRow,
  programPageRow,
  programRow,
  publicProgramRow,
  refusalRow,
  sessionRow,
  summaryRow,
  testEventTracked,
  traceRow,
  userRow,
  webhookDeliveryDetailRow,
  webhookDeliveryRow,
  webhookEndpointRow,
  webhookEndpointSecretRow,
  webhookEvent,
  workspaceRow,
} from '@affkit/protocol';
import { z } from 'zod';
import { acceptAbsentValues } from './absent-values.ts';
import type { JsonSchema } from './document.ts';

/** The reply schemas that become named components. All other reply schemas are inlined. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  Error: errorReply,
  DuplicateSale: duplicateSaleReply,
  TestEvent: testEventTracked,
  Program: programRow,
  Partner: partnerRow,
  PartnerDetail: partnerDetailRow,
  ChangedPartner: changedPartnerRow,
  ProgramPage: programPageRow,
  PublicProgram: publicProgramRow,
  Link: linkRow,
  ListedLink: listedLinkRow,
  Customer: customerRow,
  Policy: policyRow,
  ListedPolicy: listedPolicyRow,
  Commission: commissionRow,
  Payout: payoutRow,
  PayoutBatch: payoutBatchRow,
  PayoutBatchDetail: payoutBatchDetailRow,
  PayoutSettings: payoutSettingsRow,
  PayoutRun: payoutRunRow,
  PayoutDetails: payoutDetailsRow,
  MaskedPayoutDetails: maskedPayoutDetailsRow,
  ApiKey: apiKeyRow,
  ProcessorConnection: processorConnectionRow,
  Offer: marketplaceRow,
  Workspace: workspaceRow,
  Member: memberRow,
  Session: sessionRow,
  User: userRow,
  Notification: notificationRow,
  PartnerNotification: portalNotificationRow,
  Email: emailRow,
  Change: auditRow,
  Event: eventRow,
  Trace: traceRow,
  Refusal: refusalRow,
  Summary: summaryRow,
  WebhookEndpoint: webhookEndpointRow,
  WebhookEndpointSecret: webhookEndpointSecretRow,
  WebhookDelivery: webhookDeliveryRow,
  WebhookDeliveryDetail: webhookDeliveryDetailRow,
  WebhookEvent: webhookEvent,
};

/** If a string has one of these formats, its `pattern` is redundant and is removed. */
const PLAIN_FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'date', 'email', 'uri']);

const refOf = (name: string) => `#/components/schemas/${name}`;

/**
 * Converts zod schemas to JSON Schemas. Schemas of requests describe what a client may send (`input`),
 * schemas of replies describe what it receives (`output`). Replies allow additional properties.
 */
export class SchemaRegistry {
  readonly #requests = z.registry<{ id: string }>();
  readonly #replies = z.registry<{ id: string }>();
  readonly #inlineIds = new Map<z.ZodType, string>();
  readonly #names = new Set<string>(['CommissionTerms']);
  /** The names of request schemas in which a field with the value `null` is not removed before validation. */
  readonly #rawNames = new Set<string>(['CommissionTerms']);
  #requestSchemas: Readonly<Record<string, JsonSchema>> = {};
  #replySchemas: Readonly<Record<string, JsonSchema>> = {};

  constructor() {
    this.#requests.add(commissionTerms, { id: 'CommissionTerms' });
    for (const [name, schema] of Object.entries(NAMED)) {
      this.#replies.add(schema, { id: name });
      this.#names.add(name);
    }
  }

  /**
   * Adds the schema of a request body. Several routes may share a schema, but each name belongs to only one
   * schema.
   */
  addRequest(name: string, schema: z.ZodType, options: { readonly isRaw: boolean }): void {
    if (this.#requests.has(schema)) return;
    if (options.isRaw) this.#rawNames.add(name);
    if (this.#names.has(name)) throw new Error(`Two request schemas have the name ${name}`);
    this.#requests.add(schema, { id: name });
    this.#names.add(name);
  }

  addReply(schema: z.ZodType): void {
    if (this.#replies.has(schema)) return;
    const id = `inline${this.#inlineIds.size}`;
    this.#inlineIds.set(schema, id);
    this.#replies.add(schema, { id });
  }

  /** Builds the named schemas. Call it once, after all schemas have been added. */
  build(): Record<string, JsonSchema> {
    const bodies = Object.entries(convert(this.#requests, 'input'));
    this.#requestSchemas = Object.fromEntries(
      bodies.map(([name, schema]) => [name, this.#rawNames.has(name) ? schema : acceptAbsentValues(schema)]),
    );
    this.#replySchemas = convert(this.#replies, 'output');
    const all = { ...this.#requestSchemas, ...this.#replySchemas };
    return Object.fromEntries([...this.#names].sort().map((name) => [name, all[name] ?? {}]));
  }

  requestOf(schema: z.ZodType): JsonSchema {
    return { $ref: refOf(this.#requests.get(schema)?.id ?? '') };
  }

  replyOf(schema: z.ZodType): JsonSchema {
    const inlineId = this.#inlineIds.get(schema);
    if (inlineId !== undefined) return this.#replySchemas[inlineId] ?? {};
    return { $ref: refOf(this.#replies.get(schema)?.id ?? '') };
  }
}

/** Converts a request schema without a name, such as the schema of a query, to a JSON Schema. */
export function convertSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => refine(zodSchema, jsonSchema as JsonSchema, 'input'),
  });
  return json as JsonSchema;
}

function convert(
  registry: z.core.$ZodRegistry<{ id: string }>,
  io: 'input' | 'output',
): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, {
    io,
    target: 'draft-2020-12',
    uri: refOf,
    override: ({ zodSchema, jsonSchema }) => refine(zodSchema, jsonSchema as JsonSchema, io),
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _dialect, $id: _id, ...json } = schema as JsonSchema;
      return [name, json];
    }),
  );
}

function refine(zodSchema: z.core.$ZodType, json: JsonSchema, io: 'input' | 'output'): void {
  const { def } = zodSchema._zod;
  // The input of a pipe must match both of its schemas, but only the second schema has named fields.
  if (io === 'input' && def.type === 'pipe' && 'out' in def) {
    const { out } = def as z.core.$ZodPipeDef;
    if (out._zod.def.type === 'object') {
      const { $schema: _, ...fields } = z.toJSONSchema(out, {
        io,
        override: (context) => refine(context.zodSchema, context.jsonSchema as JsonSchema, io),
      });
      for (const keyword of Object.keys(json)) delete json[keyword];
      Object.assign(json, fields);
    }
  }
  // A `catch` schema accepts values that its inner schema rejects. These values count as absent.
  if (io === 'input' && def.type === 'catch') acceptAnything(json);
  // Later versions may add fields to replies.
  if (io === 'output' && json.additionalProperties === false) delete json.additionalProperties;
  // Like browsers, Affkit accepts URLs with spaces and backslashes. The format `uri` forbids both.
  if (io === 'input' && json.format === 'uri') delete json.format;
  if (PLAIN_FORMATS.has(json.format)) delete json.pattern;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
}

/** Makes the schema accept values of all types. The type of valid values is listed first. */
function acceptAnything(json: JsonSchema): void {
  const { description } = json;
  const types = [json, ...(json.anyOf ?? [])].flatMap(({ type }) => type ?? []);
  const [valid = 'string'] = types.map((type) => (type === 'integer' ? 'number' : type));
  for (const keyword of Object.keys(json)) delete json[keyword];
  Object.assign(json, {
    ...(description !== undefined && { description }),
    type: [valid, ...ANY_TYPE.filter((type) => type !== valid)],
    items: {},
  });
}
