import { hashEmail, type PastCommission, type PastCustomer, type PastRecord } from '@affkit/core';
import { isCurrency } from '@affkit/protocol';
import { z } from 'zod';
import type { Vendor } from '../vendors/vendor.ts';
import { type Row, RowError, RowIgnored } from './row.ts';

export interface ReaderSettings {
  readonly vendor: Vendor;
  /** The unit of the amounts. */
  readonly unit: 'minor' | 'major';
  /** The currency of rows that do not specify one. */
  readonly currency: string;
}

/** The record of a row, and a note on what could not be read. */
export interface ReadRow {
  readonly record: PastRecord;
  readonly note: string | null;
}

const emailText = z.email().max(255);
/** The values of `is_paid`. The API has `true` and `false`, but the values of CSV exports are not documented. */
const IS_PAID: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/**
 * Converts rows to records. Keeps all partners and customers that it has read, because rows of later files refer to
 * them by id, code, key, or email address.
 */
export class RowReader {
  readonly #settings: ReaderSettings;
  /** All partners that were read. Each key is `id` or `code`, a space, and the value. */
  readonly #partners = new Map<string, { readonly name: string; readonly email: string }>();
  /** All customers that were read. Each key is `id`, `key`, or `email`, a space, and the value. */
  readonly #customers = new Map<string, PastCustomer>();

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
  }

  /** @throws RowError when the row is not a partner */
  readPartner(row: Row): ReadRow {
    const email = readEmail(row.text('email'));
    if (email === null) throw new RowError('email must be an email address');
    const parts = [row.text('first_name'), row.text('last_name')].filter((part) => part !== null);
    const name = row.text('name') ?? (parts.length > 0 ? parts.join(' ') : email);
    const id = row.id('id');
    const codes = row.texts('code').flatMap((cell) => cell.split(/[\s,;|]+/).filter((code) => code !== ''));
    const partner = { name, email };
    if (id !== null) this.#partners.set(`id ${id}`, partner);
    for (const code of codes) this.#partners.set(`code ${code.toLowerCase()}`, partner);
    const status = row.text('status');
    const known = status === null ? 'approved' : this.#settings.vendor.partnerStatuses[status.toLowerCase()];
    return {
      record: { kind: 'partner', partner: { ...partner, status: known ?? 'pending', codes } },
      note:
        known === undefined
          ? `The status ${JSON.stringify(status)} is not known. The partner waits for your approval`
          : null,
    };
  }

  /** Reads a link, which adds a code to its partner. @throws RowError when the row is not a link */
  readLink(row: Row): ReadRow {
    const code = row.required('code');
    const partner = this.#findPartner(row);
    if (partner === null) throw new RowError('The partner is not in the partners file');
    this.#partners.set(`code ${code.toLowerCase()}`, partner);
    const record = { ...partner, status: 'pending' as const, codes: [code] };
    return { record: { kind: 'partner', partner: record }, note: null };
  }

  /** @throws RowError when the row is not a customer */
  readCustomer(row: Row): ReadRow {
    this.#ignoreOthers(row.text('stage'));
    const partner = this.#requirePartner(row);
    const email = readEmail(row.text('email'));
    const [id, key] = [row.id('id'), row.id('key')];
    const customer: PastCustomer = {
      ref: referenceOf(id, key, email, null),
      key,
      email,
      partnerEmail: partner.email,
      code: row.text('partner_code'),
      signupAt: row.time('signup_at'),
    };
    this.#keep(customer, id);
    return { record: { kind: 'customer', customer }, note: null };
  }

  /** @throws RowError when the row is not a commission */
  readCommission(row: Row, hasDecimalComma: boolean): ReadRow {
    const { vendor, unit } = this.#settings;
    this.#ignoreOthers(row.text('unit'));
    const id = row.required('id');
    const currency = this.#readCurrency(row.text('currency'));
    const saleCurrency =
      row.text('sale_currency') === null ? currency : this.#readCurrency(row.text('sale_currency'));
    const commissionCents = row.amount('amount', { currency, unit, hasDecimalComma });
    if (commissionCents === null) throw new RowError('amount is empty');
    const saleCents = row.amount('sale_amount', { currency: saleCurrency, unit, hasDecimalComma }) ?? 0;
    const status = row.required('status').toLowerCase();
    const state = vendor.commissionStates[status];
    if (state === undefined) {
      const known = Object.keys(vendor.commissionStates).join(', ');
      throw new RowError(`The status ${JSON.stringify(status)} is not known. Known statuses: ${known}`);
    }
    const earnedAt = row.time('earned_at');
    if (earnedAt === null) throw new RowError('earned_at is empty');
    const known = this.#findCustomer(row);
    const partnerEmail = this.#findPartner(row)?.email ?? known?.partnerEmail;
    if (partnerEmail === undefined) throw new RowError(this.#whyNoPartner(row));
    const isPaid = readIsPaid(row) && state === 'approved';
    const payment = row.id('payment');
    const commission: PastCommission = {
      id,
      partnerEmail,
      customer: known ?? this.#makeCustomer(row, id, partnerEmail),
      state: isPaid ? 'paid' : state,
      saleCents,
      saleCurrency,
      commissionCents,
      currency,
      earnedAt,
      dueAt: row.futureTime('due_at'),
      paidAt: row.time('paid_at'),
      payoutRef: row.id('payout'),
      paymentRefs: payment === null ? [] : [payment],
      subscriptionId: row.id('subscription'),
    };
    return { record: { kind: 'commission', commission }, note: null };
  }

  /** Reads the amount of a payout that was paid. @returns null when it was not paid */
  readPayout(
    row: Row,
    hasDecimalComma: boolean,
  ): { readonly id: string; readonly currency: string; readonly cents: number } | null {
    const { vendor, unit } = this.#settings;
    const id = row.required('id');
    if (!vendor.paidStatuses.includes(row.required('status').toLowerCase())) return null;
    const currency = this.#readCurrency(row.text('currency'));
    const cents = row.amount('amount', { currency, unit, hasDecimalComma });
    if (cents === null) throw new RowError('amount is empty');
    return { id, currency, cents };
  }

  #ignoreOthers(value: string | null): void {
    const reason = value === null ? undefined : this.#settings.vendor.ignored?.[value.toLowerCase()];
    if (reason !== undefined) throw new RowIgnored(reason);
  }

  #readCurrency(text: string | null): string {
    const currency = text?.toUpperCase() ?? this.#settings.currency;
    if (!isCurrency(currency)) throw new RowError(`${JSON.stringify(text)} is not an ISO 4217 currency`);
    return currency;
  }

  #findPartner(row: Row): { readonly name: string; readonly email: string } | null {
    const email = readEmail(row.text('partner_email'));
    if (email !== null) return { name: email, email };
    const [id, code] = [row.text('partner_id'), row.text('partner_code')];
    return (
      (id === null ? undefined : this.#partners.get(`id ${id}`)) ??
      (code === null ? undefined : this.#partners.get(`code ${code.toLowerCase()}`)) ??
      null
    );
  }

  #requirePartner(row: Row): { readonly name: string; readonly email: string } {
    const partner = this.#findPartner(row);
    if (partner === null) throw new RowError(this.#whyNoPartner(row));
    return partner;
  }

  #whyNoPartner(row: Row): string {
    const named = row.text('partner_email') ?? row.text('partner_id') ?? row.text('partner_code');
    return named === null
      ? 'The row does not identify a partner'
      : `The partner ${JSON.stringify(named)} is not in the partners file`;
  }

  #findCustomer(row: Row): PastCustomer | undefined {
    const names = namesOf(row.text('customer_id'), row.text('key'), readEmail(row.text('customer_email')));
    return names.map((name) => this.#customers.get(name)).find((customer) => customer !== undefined);
  }

  #makeCustomer(row: Row, commissionId: string, partnerEmail: string): PastCustomer {
    const [id, key] = [row.id('customer_id'), row.id('key')];
    const email = readEmail(row.text('customer_email'));
    const ref = referenceOf(id, key, email, commissionId);
    const customer = { ref, key, email, partnerEmail, code: row.text('partner_code'), signupAt: null };
    this.#keep(customer, id);
    return customer;
  }

  #keep(customer: PastCustomer, id: string | null): void {
    for (const name of namesOf(id, customer.key, customer.email)) {
      if (!this.#customers.has(name)) this.#customers.set(name, customer);
    }
  }
}

/** Returns the keys under which the reader stores a customer, in the order of lookup. */
function namesOf(id: string | null, key: string | null, email: string | null): string[] {
  return Object.entries({ id, key, email }).flatMap(([kind, value]) =>
    value === null ? [] : [`${kind} ${value}`],
  );
}

/** @throws RowError for other values, because a paid commission that is read as unpaid would be paid twice */
function readIsPaid(row: Row): boolean {
  const text = row.text('is_paid') ?? 'false';
  const isPaid = IS_PAID.get(text.toLowerCase());
  if (isPaid === undefined) throw new RowError(`is_paid must be true or false, got ${JSON.stringify(text)}`);
  return isPaid;
}

function readEmail(text: string | null): string | null {
  const { success, data } = emailText.safeParse(text?.trim().toLowerCase());
  return success ? data : null;
}

/** Returns the reference of a customer. References are stored, so they contain a hash instead of an email address. */
function referenceOf(
  id: string | null,
  key: string | null,
  email: string | null,
  commissionId: string | null,
): string {
  if (id !== null) return id;
  if (key !== null) return `key ${key}`;
  const hash = email === null ? null : hashEmail(email)?.hash;
  if (hash) return `email ${hash.slice(0, 32)}`;
  if (commissionId !== null) return `commission ${commissionId}`;
  throw new RowError('The row does not identify a customer');
}
