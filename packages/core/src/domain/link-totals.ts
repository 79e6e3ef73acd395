export const WHOLE_LINK = 0;
export const NAMED_SUB_ID = 1;
export const OTHER_SUB_IDS = 2;

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
  /** UTC days since the epoch. */
  readonly day: number;
  readonly subId: string;
  readonly measure: LinkMeasure;
  readonly total: number;
}

/** A row of the totals. `subId` is empty unless `kind` is `NAMED_SUB_ID`. */
export interface LinkTotal extends LinkEvents {
  readonly kind: LinkTotalKind;
}

/**
 * The maximum number of sub-ids that get their own row per day. Visitors can invent sub-ids, so all others
 * share a row.
 */
export interface SubIdLimits {
  readonly perLink: number;
  readonly perProgram: number;
}

const MAX_SUB_IDS: SubIdLimits = { perLink: 100, perProgram: 2_000 };

/**
 * The sub-ids that have their own row, for a link and a day. Once other sub-ids share a row, none is added.
 */
interface NamedSubIds {
  readonly names: Set<string>;
  isClosed: boolean;
}

/**
 * Sums up events by link and day, and by sub-id. Each event with a sub-id also counts in exactly one row of a
 * sub-id.
 */
export class LinkSums {
  readonly #limits: SubIdLimits;
  readonly #links = new Map<string, NamedSubIds>();
  readonly #namesPerDay = new Map<string, number>();
  readonly #totals = new Map<string, LinkTotal>();

  /** @param stored the existing rows of the days; only their sub-ids are used */
  constructor(
    stored: readonly Pick<LinkTotal, 'programId' | 'linkId' | 'kind' | 'day' | 'subId'>[],
    limits: SubIdLimits = MAX_SUB_IDS,
  ) {
    this.#limits = limits;
    for (const row of stored) {
      if (row.kind === OTHER_SUB_IDS) this.#subIdsOf(row).isClosed = true;
      if (row.kind === NAMED_SUB_ID) this.#addName(row);
    }
  }

  add(events: LinkEvents): void {
    this.#sum({ ...events, kind: WHOLE_LINK, subId: '' });
    if (events.subId === '') return;
    const isNamed = this.#isNamed(events);
    this.#sum({
      ...events,
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
    const ofDay = this.#namesPerDay.get(dayKeyOf(events)) ?? 0;
    if (subIds.isClosed || subIds.names.size >= this.#limits.perLink || ofDay >= this.#limits.perProgram) {
      subIds.isClosed = true;
      return false;
    }
    this.#addName(events);
    return true;
  }

  #addName(row: Pick<LinkTotal, 'programId' | 'linkId' | 'day' | 'subId'>): void {
    const { names } = this.#subIdsOf(row);
    if (names.has(row.subId)) return;
    names.add(row.subId);
    this.#namesPerDay.set(dayKeyOf(row), (this.#namesPerDay.get(dayKeyOf(row)) ?? 0) + 1);
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

function dayKeyOf({ programId, day }: Pick<LinkTotal, 'programId' | 'day'>): string {
  return `${programId}:${day}`;
}
