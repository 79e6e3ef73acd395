import type { JSX } from 'preact';
import { formatCount } from '../../format/number.ts';

export const intro = 'Affkit sends your server an event when a sale, commission, payout, or partner changes.';
export const none = 'No endpoints yet. An endpoint is a URL of your server that receives signed webhooks.';
export const create = 'Add an endpoint';
export const createSubmit = 'Add';
export const lost =
  'No reply arrived, so the endpoint may have been added. If it is in the list, create a new secret for it.';
export const editTitle = 'Edit the endpoint';

export const endpoint = 'Endpoint';
export const url = 'URL';
export const urlHint = 'Must start with https://. Your server receives POST requests there.';
export const urlMissing = 'Enter a URL, such as https://shop.example/webhooks/affkit.';
export const description = 'Description';
export const descriptionField = 'Description (optional)';
export const descriptionHint = 'Only your team sees it.';
export const events = 'Events';
export const eventsMissing = 'Choose at least one event.';
export const allEvents = 'All events';
export const eventCount = (count: number): string =>
  count === 1 ? '1 event type' : `${formatCount(count)} event types`;
export const lastSuccess = 'Last success';
export const lastFailure = 'Last failure';

/** The text for each state of an endpoint in the API. */
export const states = {
  active: 'Active',
  failing: 'Failing',
  paused: 'Paused',
  gone: 'Paused',
} as const;
/** What a state means, and what the user can do. */
export const stateHints = {
  active: null,
  failing: 'The latest webhooks failed, so Affkit waits longer before it tries again.',
  paused: 'Events wait for up to three days.',
  gone: 'The endpoint answered 410 (Gone). Events wait for up to three days.',
} as const;
export const nextAttempt = (time: JSX.Element): JSX.Element => <>Next attempt: {time}</>;
export const oldSecret = 'Old secret';
export const signsUntil = (time: JSX.Element): JSX.Element => <>Also signs until {time}</>;

export const eventGroups = {
  sales: 'Sign-ups and sales',
  commissions: 'Commissions',
  payouts: 'Payouts',
  partners: 'Partners',
  integration: 'Integration',
} as const;
/** When each type of event is sent. */
export const eventTypes = {
  'lead.created': 'A customer signed up.',
  'sale.created': 'A sale was recorded.',
  'refund.created': 'A refund reduced a commission.',
  'commission.created': 'A sale earned a commission.',
  'commission.approved': 'A commission can be paid.',
  'commission.rejected': 'A commission was rejected.',
  'commission.reversed': 'Refunds took back the whole sale.',
  'payout.created': 'A payout was created.',
  'payout.paid': 'A payout was paid.',
  'payout.cancelled': 'A payout was canceled.',
  'partner.applied': 'Someone applied.',
  'partner.approved': 'A partner was approved.',
  'partner.rejected': 'An application was rejected.',
  'integration.failing': 'A tracking call was not valid. Sent once a day for each kind of error.',
} as const;

export const secret = 'Secret';
export const secretHint =
  'Your server verifies webhooks with this secret. Store it now as AFFKIT_EVENTS_SECRET. It is not shown again.';
export const secretTitle = 'The secret of the endpoint';

export const edit = 'Edit…';
export const pause = 'Pause';
export const resume = 'Resume';
export const isPaused = (host: string): string => `Nothing is sent to ${host} while it is paused.`;
export const isResumed = (host: string): string => `Webhooks are sent to ${host} again.`;
export const sendTest = 'Send a test event';
export const testQueued = 'The test event is on its way.';
export const openDelivery = 'Open';
export const rotate = 'Replace the secret…';
export const rotateTitle = 'Replace the secret?';
export const rotateSubmit = 'Replace';
export const rotateWarning =
  'For 24 hours, webhooks are signed with both secrets. Store the new secret on your server within this time. Any older secret stops working now.';
export const rotateLost =
  'No reply arrived, so the secret may have been replaced. Replace it again, and store the new secret at once, because the old one may no longer be used.';
export const remove = 'Delete…';
export const removeTitle = (host: string): string => `Delete the endpoint ${host}?`;
export const removeSubmit = 'Delete';
export const removeWarning =
  'Waiting webhooks are never sent, and the log is no longer shown. You cannot undo this.';
export const removed = (host: string): string => `The endpoint ${host} is deleted.`;

export const facts = 'About the endpoint';
export const log = 'Deliveries of the last 30 days';
export const eventType = 'Event';
export const allTypes = 'All events';
export const testType = 'Test event';
export const delivery = 'Delivery';
export const deliveryStates = { queued: 'Waiting', succeeded: 'Delivered', failed: 'Given up' } as const;
export const attempts = 'Attempts';
export const response = 'Response';
export const time = 'Time';
export const noResponse = 'No response';
export const noDeliveries = 'No deliveries yet. Send a test event to see whether your server accepts it.';
export const noneMatches = 'No deliveries match these filters.';

export const sendAgain = 'Send again';
export const isSentAgain = (type: string): string => `The webhook ${type} is sent again.`;
export const replay = 'Send several again';
export const replayTitle = 'Send webhooks again';
export const replayHint =
  'Each webhook keeps its webhook-id, so your server can recognize the ones that it has processed.';
export const replayFrom = 'Events from (UTC)';
export const replayTo = 'Events to (UTC)';
export const replayRangeWrong = 'Choose two dates, the earlier one first.';
export const replayStatus = 'Which webhooks';
export const replayStatuses = {
  failed: 'Webhooks that were given up',
  succeeded: 'Webhooks that were delivered',
  all: 'All',
} as const;
export const replayed = (count: number): string =>
  count === 1 ? '1 webhook is sent again.' : `${formatCount(count)} webhooks are sent again.`;

/** The name of a header. */
export const webhookId = 'webhook-id';
export const requestBody = 'Request body';
export const attempt = (number: number): string => `Attempt ${number}`;
export const noAttempts = 'Not sent yet.';
export const milliseconds = (count: number): string => `${formatCount(count)} ms`;
export const requestHeaders = 'Request headers';
export const responseHeaders = 'Response headers';
export const responseBody = 'Response body';
export const httpStatus = (status: number): string => `HTTP ${status}`;
