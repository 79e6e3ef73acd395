import type { ErrorCode } from '@affkit/protocol';
import type { z } from 'zod';
import type { Route } from '../route.ts';

/** The parts that the description is divided into, in their order, with a sentence on each. */
export const TAGS = {
  Tracking: 'Clicks, leads, sales and refunds.',
  Integration: "What a program's own server asks of its integration.",
  Dashboard: 'Figures of a program: statuses, events, days.',
  'Sign-in': 'Sessions of people.',
  Workspaces: 'Workspaces, their members, notifications and audit log.',
  Programs: 'Programs and their tracking tokens.',
  Partners: 'Partners of a program and their links.',
  Commissions: 'What partners earn, and by which policies.',
  Payouts: 'What is paid to partners.',
  Partner: 'What a signed-in partner sees of its own.',
  'Management keys': 'Keys for scripts.',
  Processor: 'Connections to a payment processor, and its webhooks.',
  Marketplace: 'What live programs offer.',
  Service: 'The service itself.',
} as const;

type Tag = keyof typeof TAGS;

/** What the description takes from a route itself. */
export type DescribedRoute = Omit<Route, 'handle'>;

/** A request's body: its schema, by a name of its own, with examples by a summary of each. */
export interface BodyDescription {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** What a route answers with one status. */
export interface ReplyDescription {
  readonly text: string;
  /** Absent where the body is no JSON. */
  readonly schema?: z.ZodType;
  /** @default 'application/json' */
  readonly mediaType?: string;
  readonly examples: Readonly<Record<string, unknown>>;
}

/**
 * What is said of one route. Path parameters, credential, scope, and the errors that follow from these are taken from
 * the route itself.
 */
export interface RouteDescription {
  /** `operationId`: a verb and a noun. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Each field is one parameter, with its text by `.describe`. */
  readonly query?: z.ZodObject;
  readonly body?: BodyDescription;
  readonly replies: Readonly<Partial<Record<200 | 201, ReplyDescription>>>;
  /** On a public route: a session counts where one is sent. */
  readonly takesSession?: boolean;
  /** Codes of the handler's own errors, beside those of its access, its body and its query. */
  readonly errors?: readonly ErrorCode[];
}

/** A public GET route that is not in the table. */
export interface OtherRoute extends RouteDescription {
  readonly path: `/${string}`;
}

/** Descriptions by `METHOD /path`, the path as it stands in the route table. */
export type Descriptions = Readonly<
  Record<`${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`, RouteDescription>
>;

/** A request's body whose examples name only its schema's fields; that none lacks is for the tests. */
export function body<S extends z.ZodType>(
  name: string,
  schema: S,
  examples: Readonly<Record<string, Partial<z.input<S>>>>,
): BodyDescription {
  return { name, schema, examples };
}

/** A JSON reply whose examples are of its schema. */
export function reply<S extends z.ZodType>(
  text: string,
  schema: S,
  examples: Readonly<Record<string, z.output<S>>>,
): ReplyDescription {
  return { text, schema, examples };
}
