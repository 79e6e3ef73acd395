/** Additional data of a click, e.g. `{ test_mode: true, program_id: 7 }`. */
export type ClickData = Record<string, unknown>;

/** A signup to report. Without a click of a partner nothing is sent. */
export interface Lead {
  /** Your own stable id of the user; use the same one when you report the sale. */
  customer_key?: string;
  email?: string;
  /** @default the click of this visitor */
  click_id?: string;
  additional_data?: Record<string, unknown>;
}

/** What became of a click. `clickId` is null for a test event. */
export type ClickOutcome =
  | { sent: true; clickId: string | null; partnerCode: string }
  /**
   * `no_code`, `duplicate` (this landing is tracked already), `queued` (to be tried again later), `consent`
   * (denied), `robot`, `no_browser`, `failed`, or the server's own code, e.g. `origin_not_allowed`; without one its status.
   */
  | { sent: false; reason: string };

/** The server's answer to a lead. */
export interface LeadAnswer {
  success: true;
  message: string;
  /** Whether the server had the lead already. */
  duplicate: boolean;
}

/** State for a person who debugs an integration; its form may change. */
export interface TrackerState {
  clickId: string | null;
  [detail: string]: unknown;
}

/** What the visitor has agreed to; `pending` is not asked yet. */
export type ConsentState = 'granted' | 'pending' | 'denied';

/** A tracker at work on a page. No method throws, no promise rejects. */
export interface Tracker {
  /** Resolves to the click id once the landing is dealt with: answered, refused, or left for later. */
  ready(callback?: (clickId: string | null) => void): Promise<string | null>;
  /** The current click id: the cookie's, else the stored one. */
  getClickId(): string | null;
  /** Tracks the landing, or a visit by `code`. The same one twice within 30 minutes is a duplicate. */
  trackClick(code?: string, data?: ClickData): Promise<ClickOutcome>;
  /** Waits for a click under way. Null when the lead was refused, is queued, or has no click. */
  trackLead(lead: Lead): Promise<LeadAnswer | null>;
  /** Notes the visitor's choice: what waited for it is sent, or dropped for good. */
  consent(state: ConsentState): void;
  /** `url` with the visitor's click, where it leads to a site of `linker`; else as it is. */
  decorate(url: string): string;
  /** Forgets everything on this browser: cookie, stored click, queue. Answers under way are ignored. */
  reset(): void;
  debug(): TrackerState;
}
