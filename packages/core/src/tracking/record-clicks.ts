import { type AttributionModel, attributeFurtherClick } from '../domain/attribution.ts';
import { makeClickId, programOfClickId } from '../domain/click-id.ts';
import { isOriginAllowed } from '../domain/origin.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type {
  ClickBatch,
  ClickedCustomer,
  ClickKeyRef,
  CustomerTouch,
  LinkFacts,
  NewClickEvent,
  NewCustomer,
} from '../storage/database/click-store.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { Visit } from './visit.ts';

/** A click as it waits for its batch. */
export interface ClickRequest {
  readonly partnerCode: string;
  /** The program whose page it is, where that names one. */
  readonly pageProgramId: number | undefined;
  readonly existingClickId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly origin: string | undefined;
  readonly ownHost: string | undefined;
  readonly visit: Visit;
  /** When it arrived. */
  readonly at: number;
}

/** What a visitor is told, and told again when the same click is repeated. */
interface ClickResponse {
  readonly clickId: string;
  readonly partnerCode: string;
  readonly attributedPartnerCode: string | null;
  readonly cookieWindowDays: number;
  readonly attributionModel: AttributionModel;
}

export type ClickOutcome =
  | Rejection
  | { readonly kind: 'inactive' }
  | { readonly kind: 'recorded'; readonly answer: ClickResponse; readonly cookieDomain: string | null };

interface Draft {
  /** Customers named by the batch, as its clicks leave them. */
  known: Map<string, ClickedCustomer>;
  answers: Map<string, ClickResponse>;
  keys: (ClickKeyRef & { answer: string })[];
  /** Keys of clicks on links that are closed now: they may have been answered while these were open. */
  closedKeys: ClickKeyRef[];
  customers: Map<string, NewCustomer>;
  touches: Map<number, CustomerTouch>;
  events: NewClickEvent[];
}

const ID_BYTES = 10;

/**
 * Records a batch of clicks in one transaction: load what all of them need, decide one after the other, save.
 * Clicks that repeat an idempotency key, of this batch or of an earlier one, are given the first answer.
 * @param mayRecall decide by what the store remembers, where that is enough; the transaction may then fail with
 *   `OutdatedMemory`, and the batch is to be recorded without
 * @returns an outcome for each click, in their order
 */
export async function recordClicks(
  tx: Transaction,
  requests: readonly ClickRequest[],
  randomBytes: (count: number) => Uint8Array,
  mayRecall: boolean,
): Promise<ClickOutcome[]> {
  const entropy = randomBytes(ID_BYTES * requests.length);
  const shortLinks = [...new Set(requests.map((request) => request.partnerCode))];
  const named = namedCustomers(requests);
  if (mayRecall && named.length === 0) {
    const outcomes = recordFromCache(tx, requests, shortLinks, entropy);
    if (outcomes) return outcomes;
  }
  const facts = await tx.clicks.load(shortLinks, named);
  const first = decideBatch(requests, facts, new Map(), entropy);
  const { keys, closedKeys } = first.draft;
  const taken = [
    ...(keys.length === 0 ? [] : await tx.clicks.claimKeys(keys, latestOf(requests))),
    ...(closedKeys.length === 0 ? [] : await tx.clicks.findAnswers(closedKeys)),
  ];
  // Those were answered before, so they are decided again, and now add nothing.
  const known = new Map(taken.map((key) => [keyName(key), JSON.parse(key.answer) as ClickResponse]));
  const { outcomes, draft } = taken.length === 0 ? first : decideBatch(requests, facts, known, entropy);
  if (draft.events.length > 0) await tx.clicks.save(batchOf(draft, requests));
  return outcomes;
}

/** @returns null where it takes a look at the database */
function recordFromCache(
  tx: Transaction,
  requests: readonly ClickRequest[],
  shortLinks: readonly string[],
  entropy: Uint8Array,
): ClickOutcome[] | null {
  const { cache: memory } = tx.clicks;
  const remembered = memory?.get(shortLinks);
  if (!memory || !remembered) return null;
  const { outcomes, draft } = decideBatch(
    requests,
    { links: remembered.links, customers: [] },
    new Map(),
    entropy,
  );
  // Where nothing is written, nothing shows that what is remembered still holds.
  if (draft.events.length === 0 || draft.closedKeys.length > 0) return null;
  // No click names a customer, so that each event is of one that it has made.
  memory.save({ events: draft.events, keys: draft.keys, now: latestOf(requests) }, remembered);
  return outcomes;
}

function batchOf(draft: Draft, requests: readonly ClickRequest[]): ClickBatch {
  return {
    customers: [...draft.customers.values()],
    touches: [...draft.touches.values()],
    events: draft.events,
    now: latestOf(requests),
  };
}

function latestOf(requests: readonly ClickRequest[]): number {
  return requests.reduce((latest, request) => Math.max(latest, request.at), 0);
}

function namedCustomers(requests: readonly ClickRequest[]): { programId: number; clickId: string }[] {
  const named = new Map<string, { programId: number; clickId: string }>();
  for (const { existingClickId: clickId } of requests) {
    const programId = clickId === undefined ? null : programOfClickId(clickId);
    if (clickId !== undefined && programId !== null) named.set(clickId, { programId, clickId });
  }
  return [...named.values()];
}

function decideBatch(
  requests: readonly ClickRequest[],
  facts: { links: readonly LinkFacts[]; customers: readonly ClickedCustomer[] },
  known: ReadonlyMap<string, ClickResponse>,
  entropy: Uint8Array,
): { outcomes: ClickOutcome[]; draft: Draft } {
  const links = new Map(facts.links.map((link) => [link.shortLink, link]));
  const draft: Draft = {
    // Copies: a further click moves its customer for the clicks behind it.
    known: new Map(facts.customers.map((customer) => [customer.clickId, { ...customer }])),
    answers: new Map(known),
    keys: [],
    closedKeys: [],
    customers: new Map(),
    touches: new Map(),
    events: [],
  };
  const outcomes = requests.map((request, index) =>
    decideClick(request, links.get(request.partnerCode), draft, () =>
      entropy.subarray(index * ID_BYTES, (index + 1) * ID_BYTES),
    ),
  );
  return { outcomes, draft };
}

function decideClick(
  request: ClickRequest,
  link: LinkFacts | undefined,
  draft: Draft,
  randomBytes: () => Uint8Array,
): ClickOutcome {
  const target = checkLink(link, request.pageProgramId);
  if (isRejection(target)) return target;
  if (!isOriginAllowed(request.origin, target.allowedOrigins, request.ownHost)) {
    return new Rejection('origin_not_allowed');
  }
  const { cookieDomain } = target;
  const key =
    request.idempotencyKey === undefined
      ? null
      : { programId: target.programId, linkId: target.linkId, key: request.idempotencyKey };
  const before = key && draft.answers.get(keyName(key));
  if (before) return { kind: 'recorded', answer: before, cookieDomain };
  if (target.status === 'inactive' || target.partnerProgramStatus !== 'approved') {
    if (key) draft.closedKeys.push(key);
    return { kind: 'inactive' };
  }

  const answer = attribute(request, target, draft, randomBytes);
  if (key) {
    draft.answers.set(keyName(key), answer);
    draft.keys.push({ ...key, answer: JSON.stringify(answer) });
  }
  return { kind: 'recorded', answer, cookieDomain };
}

/** A page that names its program takes no other program's links: any company may claim any origin for its own. */
function checkLink(
  link: LinkFacts | undefined,
  pageProgramId: number | undefined,
): (LinkFacts & { partnerId: number }) | Rejection {
  const isForeign = pageProgramId !== undefined && pageProgramId !== link?.programId;
  if (!link || link.programDeleted || isForeign) return new Rejection('referral_link_not_found');
  if (link.partnerId === null) return new Rejection('invalid_referral_link');
  return { ...link, partnerId: link.partnerId };
}

/** Reuses or makes the click's customer, and drafts its event. */
function attribute(
  request: ClickRequest,
  link: LinkFacts & { partnerId: number },
  draft: Draft,
  randomBytes: () => Uint8Array,
): ClickResponse {
  const named = request.existingClickId === undefined ? undefined : draft.known.get(request.existingClickId);
  const existing = named?.programId === link.programId ? named : undefined;
  const clickId = existing?.clickId ?? makeClickId(link.programId, request.at, randomBytes);
  let attributedPartnerCode: string | null = link.shortLink;
  if (existing) {
    const after = attributeFurtherClick(existing, link, link.attributionModel);
    if (after.linkId !== existing.linkId) existing.shortLink = link.shortLink;
    existing.partnerId = after.partnerId;
    existing.linkId = after.linkId;
    attributedPartnerCode = after.partnerId === null ? null : existing.shortLink;
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
  const { visit } = request;
  return {
    programId: link.programId,
    customerId,
    clickId,
    linkId: link.linkId,
    partnerId: link.partnerId,
    sessionId: visit.sessionId,
    pageUrl: visit.pageUrl,
    referrerUrl: visit.referrerUrl,
    geoCountry: visit.geo.country,
    geoRegion: visit.geo.region,
    geoCity: visit.geo.city,
    deviceType: visit.device.type,
    deviceOs: visit.device.os,
    browserName: visit.device.browser,
    details: visit.details,
    at: request.at,
  };
}

function keyName(key: ClickKeyRef): string {
  return `${key.programId}:${key.linkId}:${key.key}`;
}
