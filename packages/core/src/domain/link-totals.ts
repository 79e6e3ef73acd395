export const WHOLE_LINK = 0;
export const NAMED_SUB_ID = 1;
export const OTHER_SUB_IDS = 2;

/** What a total sums up: the whole link, one of its sub-ids, or all sub-ids that have no row. */
export type LinkTotalKind = typeof WHOLE_LINK | typeof NAMED_SUB_ID | typeof OTHER_SUB_IDS;

/** Amounts such as `commission:USD` are in the currency's smallest unit, before refunds. */
export type LinkMeasure = 'clicks' | 'leads' | 'sales' | `commission:${string}`;

/** Events of a link on a UTC day with the same sub-id, which is empty if there is none. */
export interface LinkEvents {
  readonly programId: number;
  readonly linkId: number;
  /** UTC days since the epoch. */
  readonly day: number;
  readonly subId: string;
  readonly measure: LinkMeasure;
  readonly total: number;
}

/** A row of the totals. `subId` is empty unless the row is of one sub-id. */
export interface LinkTotal extends LinkEvents {
  readonly kind: LinkTotalKind;
}

/** A visitor can invent sub-ids, so only so many have a row per day. The others share a row. */
export interface SubIdLimits {
  readonly perLink: number;
  readonly perProgram: number;
}

const MAX_SUB_IDS: SubIdLimits = { perLink: 100, perProgram: 2_000 };

/** The sub-ids of a link and day. A new one is added only while there is no row for other sub-ids. */
interface NamedSubIds {
  readonly names: Set<string>;
  isClosed: boolean;
}

/** Sums up events by link and day, and by sub-id. Each event with a sub-id counts in exactly one row for sub-ids. */
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

  /** The sums of all added events. */
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

/** A text that is equal for totals of the same row. */
export function linkTotalKey({ programId, linkId, kind, day, subId, measure }: LinkTotal): string {
  return JSON.stringify([programId, linkId, kind, day, measure, subId]);
}

function dayKeyOf({ programId, day }: Pick<LinkTotal, 'programId' | 'day'>): string {
  return `${programId}:${day}`;
}
