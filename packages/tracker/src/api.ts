/** Additional data of a click, such as `{ test_mode: true, program_id: 7 }`. */
export type ClickData = Record<string, unknown>;

/** A sign-up to report. For a visitor without a click, nothing is sent. */
export interface Lead {
  /** Your own stable id of the user. Send the same id when you report a sale. */
  customer_key?: string;
  email?: string;
  /** @default the click of this visitor */
  click_id?: string;
  additional_data?: Record<string, unknown>;
}

/** The result of `trackClick`. `clickId` is null for a test event. */
export type ClickOutcome =
  | { sent: true; clickId: string | null; partnerCode: string }
  /**
   * `reason` is one of `no_code`, `duplicate` (this landing has already been tracked), `queued` (it will be
   * retried later), `consent` (denied), `reset` (the tracker was reset, or consent withdrawn, before the visit
   * was sent), `robot`, `no_browser` and `failed`, or an error code of the server such as
   * `origin_not_allowed`. If the server's error has no code, `reason` is the HTTP status.
   */
  | { sent: false; reason: string };

/** The result of `trackLead`. */
export interface LeadResult {
  success: true;
  message: string;
  /** Whether the server had already recorded the lead. */
  duplicate: boolean;
}

/** The state of the tracker, for debugging. Its structure may change. */
export interface TrackerState {
  clickId: string | null;
  [detail: string]: unknown;
}

/** The visitor's consent. `pending` means that the visitor has not decided yet. */
export type ConsentState = 'granted' | 'pending' | 'denied';

/** The tracker of a page. Its methods never throw, and its promises never reject. */
export interface Tracker {
  /** Resolves to the click id when the landing has been tracked, rejected or queued. */
  ready(callback?: (clickId: string | null) => void): Promise<string | null>;
  /** Returns the click id in the cookie, or else the stored click id, or else null. */
  getClickId(): string | null;
  /**
   * Tracks the landing, or a visit with the partner code `code`. A landing URL is tracked only once within 30 minutes.
   */
  trackClick(code?: string, data?: ClickData): Promise<ClickOutcome>;
  /**
   * Reports a sign-up. With consent, the lead is stored at once, so that the next page can send it. While consent is
   * pending, the lead is only in memory. Before the lead is sent, the call waits for pending clicks. Resolves to null
   * if the lead was rejected, is queued, or has no click.
   */
  trackLead(lead: Lead): Promise<LeadResult | null>;
  /**
   * Sets the visitor's consent. With `granted`, waiting events are sent. With `denied`, they are dropped. With
   * `pending`, later events wait.
   */
  consent(state: ConsentState): void;
  /** Adds the visitor's click to a URL of a `linker` site. Returns any other URL unchanged. */
  decorate(url: string): string;
  /**
   * Deletes the cookie, the stored click, the queue and the session. A visit that was not sent yet is dropped, unless it
   * still waits for consent. Responses to pending requests are ignored.
   */
  reset(): void;
  debug(): TrackerState;
}
