import { type AttributionModel, attributeLaterClick } from '../domain/attribution.ts';
import { checkOrigin } from '../domain/check-origin.ts';
import { CLICK_ID_RANDOM_BYTES, makeClickId, programOfClickId } from '../domain/click-id.ts';
import { directoryCodes, findByCode } from '../domain/short-link.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { VisitFields } from '../storage/database/click-columns.ts';
import type {
  ClickBatch,
  ClickedCustomer,
  ClickKeyRef,
  CustomerTouch,
  LinkFacts,
  NewClickEvent,
  NewCustomer,
  StoredReply,
} from '../storage/database/click-store.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { sumClicks } from '../storage/tracking/clicks-counters.ts';
import { saveTotals, type TotalsRetry, totalsRetryOf } from './save-totals.ts';

/** A click that is waiting for its batch. */
export interface ClickRequest {
  readonly partnerCode: string;
  /** The program id in the page's request (`additional_data.program_id`), if any. */
  readonly pageProgramId: number | undefined;
  readonly existingClickId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly origin: string | undefined;
  readonly ownHost: string | undefined;
  /** Called only if the link accepts the click. May be called several times. */
  readonly readVisit: () => VisitFields;
  /** The time when the request arrived. */
  readonly at: number;
  readonly requestId?: string | undefined;
}

/**
 * The reply to a click. It is stored as JSON. A repeated request with the same idempotency key gets the stored
 * reply.
 */
interface ClickReply {
  readonly clickId: string;
  readonly partnerCode: string;
  readonly attributedPartnerCode: string | null;
  readonly cookieWindowDays: number;
  readonly attributionModel: AttributionModel;
}

export type ClickOutcome =
  | Rejection
  | { readonly kind: 'inactive' }
  | { readonly kind: 'recorded'; readonly reply: ClickReply; readonly cookieDomain: string | null };

/** The decisions about a batch so far. They have not been stored yet. */
interface ClickBatchDraft {
  /** The existing customers of the batch, by click id. They include the changes by earlier clicks of the batch. */
  existing: Map<string, ClickedCustomer>;
  /** Replies by idempotency key. */
  repliesByKey: Map<string, ClickReply>;
  /** The replies of new clicks that have an idempotency key. */
  repliesToStore: StoredReply[];
  /**
   * The idempotency keys of clicks on inactive links. A key may have a reply from a time when its link was
   * active.
   */
  inactiveKeys: ClickKeyRef[];
  customers: Map<string, NewCustomer>;
  touches: Map<number, CustomerTouch>;
  events: NewClickEvent[];
}

/**
 * Records a batch of clicks in one transaction. It loads the data for all clicks, processes the clicks in
 * order, and stores the results. A click that repeats an idempotency key gets the stored reply, even if both
 * clicks are in this batch.
 * @param attempt 1 for the first attempt, which may use cached links. If the transaction fails with
 * `StaleCache`, record the batch again
 * @returns an outcome for each click, in order
 */
export async function recordClicks(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now' | 'randomBytes'>,
  requests: readonly ClickRequest[],
  attempt: number,
): Promise<ClickOutcome[]> {
  const entropy = runtime.randomBytes(CLICK_ID_RANDOM_BYTES * requests.length);
  const codes = [...new Set(requests.flatMap((request) => directoryCodes(request.partnerCode)))];
  const named = listNamedCustomers(requests);
  if (attempt === 1 && named.length === 0) {
    const outcomes = recordClicksFromCache(tx, requests, codes, entropy);
    if (outcomes) return outcomes;
  }
  const facts = await tx.clicks.load(codes, named);
  const first = decideClickBatch(requests, facts, new Map(), entropy);
  const { repliesToStore, inactiveKeys } = first.draft;
  const storedReplies = [
    ...(repliesToStore.length === 0
      ? []
      : await tx.clicks.claimKeys(repliesToStore, latestClickAt(requests))),
    ...(inactiveKeys.length === 0 ? [] : await tx.clicks.findStoredReplies(inactiveKeys)),
  ];
  // Clicks with a stored reply must not be recorded again. Process the whole batch again with these replies.
  const repliesByKey = new Map(
    storedReplies.map((stored) => [clickKeyName(stored), JSON.parse(stored.reply) as ClickReply]),
  );
  const { outcomes, draft } =
    storedReplies.length === 0 ? first : decideClickBatch(requests, facts, repliesByKey, entropy);
  if (draft.events.length > 0) {
    await saveClickBatch(tx, finishClickDraft(draft, requests), totalsRetryOf(runtime, requests, attempt));
  }
  return outcomes;
}

async function saveClickBatch(tx: Transaction, batch: ClickBatch, retry: TotalsRetry | null): Promise<void> {
  // In a retry, `saveTotals` updates the totals in a savepoint, and treats an error there as a failure of the totals.
  // Run `save` in its own savepoint first, so that it waits for its statements. Otherwise, one of them could fail
  // later, in the savepoint of the totals.
  if (retry) await tx.savepoint(() => tx.clicks.save(batch));
  else await tx.clicks.save(batch);
  const sums = sumClicks(batch.events);
  const totals = {
    counters: sums.counters.map(({ lastAt, ...sum }) => ({ ...sum, measure: 'clicks' as const, at: lastAt })),
    days: sums.days,
    write: () => tx.clicks.addTotals(sums),
  };
  await saveTotals(tx, totals, retry);
}

/** @returns null when the batch cannot be decided from the cache */
function recordClicksFromCache(
  tx: Transaction,
  requests: readonly ClickRequest[],
  codes: readonly string[],
  entropy: Uint8Array,
): ClickOutcome[] | null {
  const { cache } = tx.clicks;
  const cached = cache?.get(codes);
  if (!cache || !cached) return null;
  const facts = { links: cached.links, customers: [] };
  const { outcomes, draft } = decideClickBatch(requests, facts, new Map(), entropy);
  // Only the statement that stores the clicks checks whether the cached links are stale. A batch that stores
  // nothing must therefore load the links.
  if (draft.events.length === 0 || draft.inactiveKeys.length > 0) return null;
  // No click contains an existing click id, so each event creates a new customer.
  cache.save({ events: draft.events, keys: draft.repliesToStore, now: latestClickAt(requests) }, cached);
  return outcomes;
}

function finishClickDraft(draft: ClickBatchDraft, requests: readonly ClickRequest[]): ClickBatch {
  return {
    customers: [...draft.customers.values()],
    touches: [...draft.touches.values()],
    events: draft.events,
    now: latestClickAt(requests),
  };
}

function latestClickAt(requests: readonly ClickRequest[]): number {
  return requests.reduce((latest, request) => Math.max(latest, request.at), 0);
}

function listNamedCustomers(requests: readonly ClickRequest[]): { programId: number; clickId: string }[] {
  const named = new Map<string, { programId: number; clickId: string }>();
  for (const { existingClickId: clickId } of requests) {
    const programId = clickId === undefined ? null : programOfClickId(clickId);
    if (clickId !== undefined && programId !== null) named.set(clickId, { programId, clickId });
  }
  return [...named.values()];
}

function decideClickBatch(
  requests: readonly ClickRequest[],
  facts: { links: readonly LinkFacts[]; customers: readonly ClickedCustomer[] },
  repliesByKey: ReadonlyMap<string, ClickReply>,
  entropy: Uint8Array,
): { outcomes: ClickOutcome[]; draft: ClickBatchDraft } {
  const links = new Map(facts.links.map((link) => [link.code, link]));
  const draft: ClickBatchDraft = {
    // Copy the customers, because a click changes its customer for the later clicks of the batch.
    existing: new Map(facts.customers.map((customer) => [customer.clickId, { ...customer }])),
    repliesByKey: new Map(repliesByKey),
    repliesToStore: [],
    inactiveKeys: [],
    customers: new Map(),
    touches: new Map(),
    events: [],
  };
  const outcomes = requests.map((request, index) =>
    decideClick(request, findByCode(links, request.partnerCode), draft, () =>
      entropy.subarray(index * CLICK_ID_RANDOM_BYTES, (index + 1) * CLICK_ID_RANDOM_BYTES),
    ),
  );
  return { outcomes, draft };
}

function decideClick(
  request: ClickRequest,
  link: LinkFacts | undefined,
  draft: ClickBatchDraft,
  randomBytes: () => Uint8Array,
): ClickOutcome {
  const target = acceptLink(link, request.pageProgramId);
  if (isRejection(target)) return target;
  const fault = checkOrigin(request.origin, target, request.ownHost);
  if (fault) return fault;
  const { cookieDomain } = target;
  const key =
    request.idempotencyKey === undefined
      ? null
      : { programId: target.programId, linkId: target.linkId, key: request.idempotencyKey };
  const storedReply = key && draft.repliesByKey.get(clickKeyName(key));
  if (storedReply) return { kind: 'recorded', reply: storedReply, cookieDomain };
  if (target.status === 'inactive' || target.partnerProgramStatus !== 'approved') {
    if (key) draft.inactiveKeys.push(key);
    return { kind: 'inactive' };
  }

  const reply = attributeClick(request, target, draft, randomBytes);
  if (key) {
    draft.repliesByKey.set(clickKeyName(key), reply);
    draft.repliesToStore.push({ ...key, reply: JSON.stringify(reply) });
  }
  return { kind: 'recorded', reply, cookieDomain };
}

/**
 * Returns the link with its partner. Rejects a link that does not exist, whose program or partner was deleted, or that
 * belongs to another program than the page. The page's program is known only if the request contains its id. The
 * origin check alone is not enough, because the program of the link may allow any origin.
 */
function acceptLink(
  link: LinkFacts | undefined,
  pageProgramId: number | undefined,
): (LinkFacts & { partnerId: number }) | Rejection {
  if (!link || link.programDeleted) return new Rejection('referral_link_not_found');
  if (pageProgramId !== undefined && pageProgramId !== link.programId) {
    return new Rejection(
      'referral_link_not_found',
      'Referral link belongs to a different program than additional_data.program_id',
    );
  }
  if (link.partnerId === null) return new Rejection('invalid_referral_link');
  return { ...link, partnerId: link.partnerId };
}

/** Finds or creates the customer of a click, and adds the click event to the draft. */
function attributeClick(
  request: ClickRequest,
  link: LinkFacts & { partnerId: number },
  draft: ClickBatchDraft,
  randomBytes: () => Uint8Array,
): ClickReply {
  const named =
    request.existingClickId === undefined ? undefined : draft.existing.get(request.existingClickId);
  const existing = named?.programId === link.programId ? named : undefined;
  const clickId = existing?.clickId ?? makeClickId(link.programId, request.at, randomBytes);
  let attributedPartnerCode: string | null = link.shortLink;
  if (existing) {
    const after = attributeLaterClick(existing, link, link.attributionModel);
    if (after.linkId !== existing.linkId) existing.shortLink = link.shortLink;
    existing.partnerId = after.partnerId;
    existing.linkId = after.linkId;
    // The tracker extends its cookie if the attributed code is the visited code. A partner can have several links, and
    // a click on any of them restarts the attribution window of the partner's customers.
    if (!after.countsForWindow) attributedPartnerCode = after.partnerId === null ? null : existing.shortLink;
    if (after.countsForWindow) {
      draft.touches.set(existing.id, {
        programId: link.programId,
        customerId: existing.id,
        partnerId: after.partnerId,
        linkId: after.linkId,
        lastClickAt: Math.max(request.at, draft.touches.get(existing.id)?.lastClickAt ?? 0),
      });
    }
  } else {
    draft.customers.set(clickId, {
      programId: link.programId,
      clickId,
      partnerId: link.partnerId,
      linkId: link.linkId,
      at: request.at,
    });
  }
  draft.events.push(draftEvent(request, link, clickId, existing?.id ?? null));
  return {
    clickId,
    partnerCode: link.shortLink,
    attributedPartnerCode,
    cookieWindowDays: link.cookieWindowDays,
    attributionModel: link.attributionModel,
  };
}

function draftEvent(
  request: ClickRequest,
  link: LinkFacts & { partnerId: number },
  clickId: string,
  customerId: number | null,
): NewClickEvent {
  return {
    programId: link.programId,
    customerId,
    clickId,
    linkId: link.linkId,
    partnerId: link.partnerId,
    ...request.readVisit(),
    at: request.at,
  };
}

function clickKeyName(key: ClickKeyRef): string {
  return `${key.programId}:${key.linkId}:${key.key}`;
}
