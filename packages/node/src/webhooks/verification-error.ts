import { AffkitError } from '../errors.ts';

/** Why a webhook was rejected. */
export type WebhookRefusal =
  | 'body_missing'
  | 'body_already_parsed'
  | 'body_too_large'
  | 'body_incomplete'
  | 'header_missing'
  | 'header_too_long'
  | 'header_malformed'
  | 'signature_missing'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'payload_invalid';

/**
 * The webhook is not authentic, its timestamp is outside the tolerance, or its body or headers cannot be read.
 * Answer with status 400 and do not process the webhook.
 */
export class AffkitWebhookVerificationError extends AffkitError {
  static override readonly name: string = 'AffkitWebhookVerificationError';
  /** The machine-readable reason. `code` is always `webhook_verification_failed`. */
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string, cause?: unknown) {
    super(message, { code: 'webhook_verification_failed', cause });
    this.reason = reason;
  }
}
