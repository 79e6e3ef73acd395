import { AffkitUnexpectedReplyError } from './errors.ts';

/**
 * After this many unexpected replies in a row, the client assumes that a proxy or firewall answers every
 * request. With the default `maxRetries`, this means five failed calls.
 */
const MAX_UNEXPECTED_REPLIES = 20;

/** The failures since Affkit's last reply which the failed events themselves may have caused. */
export class FailureStreak {
  readonly #events = new Set<string | number>();
  #unexpectedReplies = 0;

  add(event: string | number, error: unknown): void {
    this.#events.add(event);
    if (error instanceof AffkitUnexpectedReplyError) this.#unexpectedReplies += error.attempts;
  }

  /** Whether several events have failed, so that probably none of them is the cause. */
  get isShared(): boolean {
    return this.#events.size > 1;
  }

  /**
   * Whether something other than Affkit seems to answer every request. It takes 20 replies, and replies to
   * one event are not enough: a firewall may block only this event.
   */
  get isCutOff(): boolean {
    return this.isShared && this.#unexpectedReplies >= MAX_UNEXPECTED_REPLIES;
  }

  clear(): void {
    this.#events.clear();
    this.#unexpectedReplies = 0;
  }
}
