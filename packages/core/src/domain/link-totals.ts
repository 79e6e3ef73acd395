export const WHOLE_LINK = 0;
export const NAMED_SUB_ID = 1;
const OTHER_SUB_IDS = 2;

/** What a total sums up: the whole link, one of its sub-ids, or all sub-ids that have no row of their own. */
export type LinkTotalKind = typeof WHOLE_LINK | typeof NAMED_SUB_ID | typeof OTHER_SUB_IDS;

/** Amounts such as `commission:USD` are in the currency's smallest unit, before refunds. */
export type LinkMeasure = 'clicks' | 'leads' | 'sales' | `commission:${string}`;

/**
 * The total of a measure for a link, a UTC day, and a sub-id. `subId` is empty for events without a sub-id.
 */
export interface LinkEvents {
  readonly programId: number;
  readonly linkId: number;
  /** The partner of the link. 0 for links without a partner. */
  readonly partnerId: number;
  /** UTC days since the epoch. */
  readonly day: number;
  readonly subId: string;
  readonly measure: LinkMeasure;
  readonly total: number;
}

/** A row of the totals. `subId` is empty unless `kind` is `NAMED_SUB_ID`. */
export interface LinkTotal extends Omit<LinkEvents, 'partnerId'> {
  readonly kind: LinkTotalKind;
}

/**
 * The maximum number of sub-ids that get their own row per day. Visitors can invent sub-ids, so all further
 * sub-ids share a row. Each partner has `reservedPerPartner` rows, so one partner cannot use up the rows of
 * the others.
 */
export interface SubIdLimits {
  readonly perLink: number;
  readonly perPartner: number;
  readonly perProgram: number;
  /** The number of rows that each partner gets even if the program has reached its limit. */
  readonly reservedPerPartner: number;
}

const MAX_SUB_IDS: SubIdLimits = {
  perLink: 100,
  perPartner: 200,
  perProgram: 2_000,
  reservedPerPartner: 20,
};

/** A stored row of one sub-id of a link, or of all sub-ids of the link that have no row of their own. */
export type StoredSubId = Pick<LinkTotal, 'programId' | 'linkId' | 'kind' | 'day' | 'subId'> &
  Pick<LinkEvents, 'partnerId'>;

/**
 * The sub-ids of a link that have their own row on a day. If `isClosed` is true, no more are added: every
 * further sub-id counts in the shared row.
 */
interface NamedSubIds {
  readonly names: Set<string>;
  isClosed: boolean;
}

/**
 * Sums up events by link, day, and sub-id. Every event is counted in the row of the whole link. An event with a
 * sub-id is also counted in a second row: the row of its sub-id, or the shared row of other sub-ids.
 */
export class LinkSums {
  readonly #limits: SubIdLimits;
  readonly #links = new Map<string, NamedSubIds>();
  readonly #subIdsPerProgram = new Map<string, number>();
  readonly #subIdsPerPartner = new Map<string, number>();
  readonly #totals = new Map<string, LinkTotal>();

  /** @param stored the rows that already exist for the counted days; they show which sub-ids have their own row */
  constructor(stored: readonly StoredSubId[], limits: SubIdLimits = MAX_SUB_IDS) {
    this.#limits = limits;
    for (const row of stored) {
      if (row.kind === OTHER_SUB_IDS) this.#subIdsOf(row).isClosed = true;
      if (row.kind === NAMED_SUB_ID) this.#addSubId(row);
    }
  }

  add(events: LinkEvents): void {
    const { partnerId: _partner, ...ofLink } = events;
    this.#sum({ ...ofLink, kind: WHOLE_LINK, subId: '' });
    if (events.subId === '') return;
    const isNamed = this.#isNamed(events);
    this.#sum({
      ...ofLink,
      kind: isNamed ? NAMED_SUB_ID : OTHER_SUB_IDS,
      subId: isNamed ? events.subId : '',
    });
  }

  totals(): LinkTotal[] {
    return [...this.#totals.values()].filter(({ total }) => total !== 0);
  }

  #isNamed(events: LinkEvents): boolean {
    const subIds = this.#subIdsOf(events);
    if (subIds.names.has(events.subId)) return true;
    if (subIds.isClosed || subIds.names.size >= this.#limits.perLink || !this.#hasSubIdsLeft(events)) {
      subIds.isClosed = true;
      return false;
    }
    this.#addSubId(events);
    return true;
  }

  #hasSubIdsLeft(events: LinkEvents): boolean {
    const ofPartner = this.#subIdsPerPartner.get(partnerKeyOf(events)) ?? 0;
    if (ofPartner >= this.#limits.perPartner) return false;
    const ofProgram = this.#subIdsPerProgram.get(dayKeyOf(events)) ?? 0;
    return ofProgram < this.#limits.perProgram || ofPartner < this.#limits.reservedPerPartner;
  }

  #addSubId(row: Omit<StoredSubId, 'kind'>): void {
    const { names } = this.#subIdsOf(row);
    if (names.has(row.subId)) return;
    names.add(row.subId);
    increment(this.#subIdsPerProgram, dayKeyOf(row));
    increment(this.#subIdsPerPartner, partnerKeyOf(row));
  }

  #subIdsOf(row: Pick<LinkTotal, 'programId' | 'linkId' | 'day'>): NamedSubIds {
    const key = `${dayKeyOf(row)}:${row.linkId}`;
    const existing = this.#links.get(key);
    if (existing) return existing;
    const subIds = { names: new Set<string>(), isClosed: false };
    this.#links.set(key, subIds);
    return subIds;
  }

  #sum(row: LinkTotal): void {
    const key = linkTotalKey(row);
    this.#totals.set(key, { ...row, total: row.total + (this.#totals.get(key)?.total ?? 0) });
  }
}

/** Returns the same text for totals that belong to the same row. */
export function linkTotalKey({ programId, linkId, kind, day, subId, measure }: LinkTotal): string {
  return JSON.stringify([programId, linkId, kind, day, measure, subId]);
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function partnerKeyOf(row: Pick<StoredSubId, 'programId' | 'day' | 'partnerId'>): string {
  return `${dayKeyOf(row)}:${row.partnerId}`;
}

function dayKeyOf({ programId, day }: Pick<LinkTotal, 'programId' | 'day'>): string {
  return `${programId}:${day}`;
}
