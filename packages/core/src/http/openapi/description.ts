import type { ErrorCode } from '@affkit/protocol';
import type { z } from 'zod';
import type { Route } from '../route.ts';

/** The sections of the document in order, each with its description. */
export const TAGS = {
  Tracking: 'Clicks, leads, sales and refunds.',
  Integration: 'Routes with which your server checks its integration.',
  Dashboard: 'Status, events and daily figures of a program.',
  'Sign-in': 'Sessions of users.',
  Workspaces: 'Workspaces with their members, notifications and audit log.',
  Programs: 'Programs and their tracking tokens.',
  Partners: 'Partners of a program and their links.',
  Customers: 'Customers of a program, and the partners that they are attributed to.',
  Commissions: 'Commissions of partners and the policies behind them.',
  Payouts: 'Payments to partners.',
  Partner: 'Data of the signed-in partner.',
  'Management keys': 'API keys for scripts.',
  Processor: 'Connections to a payment processor, and its webhooks.',
  Webhooks: 'Endpoints of your server that receive the events of a program.',
  Marketplace: 'Live programs and their offers.',
  Service: 'Documentation and health of the service.',
} as const;

type Tag = keyof typeof TAGS;

/** The parts of a route that are documented. */
export type DescribedRoute = Omit<Route, 'handle' | 'authorize'>;

/** The schema name of a request body in the document, and its examples. Each key is an example's summary. */
export interface BodyDescription {
  readonly name: string;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** The documentation of the reply with one status. */
export interface ReplyDescription {
  readonly text: string;
  /** Absent if the body is not JSON. */
  readonly schema?: z.ZodType;
  /** @default 'application/json' */
  readonly mediaType?: string;
  readonly examples: Readonly<Record<string, unknown>>;
}

/**
 * The parts of a route's documentation that cannot be derived from the route itself. The route determines its
 * parameters, request body, credential, and scope, and the errors that these can cause.
 */
export interface RouteDescription {
  /** The `operationId`: a verb and a noun. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly body?: BodyDescription;
  /** The body of a route that accepts a file instead of JSON. */
  readonly file?: { readonly mediaType: string; readonly examples: Readonly<Record<string, string>> };
  readonly replies: Readonly<Partial<Record<200 | 201, ReplyDescription>>>;
  /** Whether a public route accepts a session. */
  readonly takesSession?: boolean;
  /** The error codes of the handler. The codes that access, body, and query can cause are added automatically. */
  readonly errors?: readonly ErrorCode[];
}

/** A public GET route of the embedding app. It is only documented, not served. */
export interface OtherRoute extends RouteDescription {
  readonly path: `/${string}`;
  readonly query?: z.ZodType;
}

/** The descriptions of routes. The key is `METHOD /path`, with the path as in the route table. */
export type Descriptions = Readonly<
  Record<`${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`, RouteDescription>
>;

/** Joins the paragraphs of a description. In Markdown, blank lines separate paragraphs. */
export function joinParagraphs(...texts: readonly string[]): string {
  return texts.join('\n\n');
}

/** Describes a request body. A test checks the examples against the schema of the route. */
export function body(name: string, examples: Readonly<Record<string, unknown>>): BodyDescription {
  return { name, examples };
}

/** Describes a JSON reply, with examples that match its schema. */
export function reply<S extends z.ZodType>(
  text: string,
  schema: S,
  examples: Readonly<Record<string, z.output<S>>>,
): ReplyDescription {
  return { text, schema, examples };
}
