import { AffkitError } from '../errors.ts';

/** Why a webhook was not accepted. */
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

/** The webhook isn't authentic, isn't fresh or can't be read: answer 400 and do nothing with it. */
export class AffkitWebhookVerificationError extends AffkitError {
  static {
    AffkitWebhookVerificationError.prototype.name = 'AffkitWebhookVerificationError';
  }
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string, cause?: unknown) {
    super(message, { code: 'webhook_verification_failed', cause });
    this.reason = reason;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), reason: this.reason };
  }
}
