import type { ApiResponse, RequestOutcome } from './attempt.ts';
import type { ReplyKind } from './reply.ts';

/** A call of an API route: what to send, how to read its replies, and what its errors say. */
export interface ApiCall<Operation extends string> {
  /** The name of the call in hooks and log messages. */
  readonly operation: Operation;
  /** The subject with which the error messages of the call start, e.g. `The sale`. */
  readonly subject: string;
  readonly path: string;
  readonly body: string;
  /** Maximum size of a reply in bytes. Defaults to the limit for the replies of tracking routes. */
  readonly maxReplyBytes?: number;
  /** Classifies a reply, for example as recorded, duplicate or unexpected. */
  readonly classify: (reply: ApiResponse) => ReplyKind;
  /** Whether the request may be sent again after this outcome. */
  readonly isRepeatable: (outcome: RequestOutcome) => boolean;
  /** Advice for the end of the error message, by response status. */
  readonly advice: Readonly<Record<number, string>>;
  /** The end of the error message if the server may or may not have carried out the call. It also says what to do. */
  readonly unknownEffect: string;
}
