/** Additional data of a click, e.g. `{ test_mode: true, program_id: 7 }`. */
export type ClickData = Record<string, unknown>;

/** A sign-up to report. Nothing is sent for a visitor without a click. */
export interface Lead {
  /** Your stable id of the user. Use the same id when you report the sale. */
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
   * `reason` is `no_code`, `duplicate` (this landing is already tracked), `queued` (will be retried later),
   * `consent` (denied), `robot`, `no_browser`, `failed`, or the error code of the server, e.g.
   * `origin_not_allowed`. For an error without a code it is the HTTP status.
   */
  | { sent: false; reason: string };

/** The result of `trackLead`. */
export interface LeadResult {
  success: true;
  message: string;
  /** Whether the server had already recorded the lead. */
  duplicate: boolean;
}

/** State for debugging an integration. Its shape may change. */
export interface TrackerState {
  clickId: string | null;
  [detail: string]: unknown;
}

/** The visitor's consent. `pending` means that the visitor has not decided yet. */
export type ConsentState = 'granted' | 'pending' | 'denied';

/** The tracker of a page. No method throws, and no promise rejects. */
export interface Tracker {
  /** Resolves with the click id when the landing is tracked, rejected or queued. */
  ready(callback?: (clickId: string | null) => void): Promise<string | null>;
  /** Returns the click id of the cookie, else the stored click id, else null. */
  getClickId(): string | null;
  /** Tracks the landing, or a visit with `code`. The same landing URL is tracked once in 30 minutes. */
  trackClick(code?: string, data?: ClickData): Promise<ClickOutcome>;
  /**
   * Waits for pending clicks first. The lead is stored meanwhile, so that the next page can send it. Resolves with null if the lead was rejected, is queued, or has no click.
   */
  trackLead(lead: Lead): Promise<LeadResult | null>;
  /** Sets the visitor's consent. Events that waited for it are sent, or dropped if it is denied. */
  consent(state: ConsentState): void;
  /** Adds the visitor's click to a URL of a `linker` site. Returns any other URL unchanged. */
  decorate(url: string): string;
  /** Deletes the cookie, the stored click, the queue and the session. Responses to pending requests are ignored. */
  reset(): void;
  debug(): TrackerState;
}
