import * as messages from '#messages/audit.tsx';
import type { AuditEntry } from '../../api/types.ts';
import { isolate } from '../../format/isolate.ts';
import { formatMoney } from '../../format/money.ts';
import { formatDate } from '../../format/time.ts';

export interface FieldChange {
  /** The name of the field in the API. */
  readonly name: string;
  readonly field: string;
  /** Null if the row is new. */
  readonly before: string | null;
  /** Null if the row was deleted. */
  readonly after: string | null;
}

type ChangedState = Readonly<Record<string, unknown>>;

/**
 * Returns the changed fields of an entry. Amounts are in the currency of the row or, if it has none, of its
 * program.
 */
export function changesOf(
  { before, after }: Pick<AuditEntry, 'before' | 'after'>,
  currency: string,
): FieldChange[] {
  const old = toState(before);
  const now = toState(after);
  const [newCode, oldCode] = [now?.['currency'], old?.['currency']].map(codeOf);
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  // The page shows the name of a new or deleted row next to the kind of the row, so this list leaves the name out.
  const title = old && now ? undefined : titleFieldOf({ ...old, ...now });
  // An amount is shown with its currency, so an unchanged field `currency` is left out if there is an amount.
  const hasAmount = names.some((name) => name.endsWith('_cents'));
  const isChanged = old && now && oldCode !== newCode;
  return names
    .filter((name) => name !== title && (isChanged || !(hasAmount && name === 'currency')))
    .map((name) => ({
      name,
      field: fieldText(name),
      before: old && formatValue(name, old[name], oldCode ?? currency),
      after: now && formatValue(name, now[name], newCode ?? currency),
    }))
    .filter(({ before: from, after: to }) => isInformative(from) || isInformative(to));
}

function codeOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isInformative(text: string | null): boolean {
  return text !== null && text !== messages.noValue;
}

const TITLE_FIELDS = ['name', 'email', 'short_link'];

function titleFieldOf(state: ChangedState): string | undefined {
  return TITLE_FIELDS.find((name) => typeof state[name] === 'string');
}

/**
 * Returns the name, email address or code of the changed row, isolated from the text around it, or null if the entry
 * does not contain it.
 */
export function subjectNameOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string | null {
  const state: ChangedState = { ...toState(before), ...toState(after) };
  const name = state[titleFieldOf(state) ?? ''];
  return typeof name === 'string' ? isolate(name) : null;
}

function toState(value: unknown): ChangedState | null {
  return typeof value === 'object' && value !== null ? (value as ChangedState) : null;
}

function fieldText(name: string): string {
  const known = messages.fields[name];
  if (known !== undefined) return known;
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function formatValue(name: string, value: unknown, currency: string): string {
  if (value === null || value === undefined || value === '') return messages.noValue;
  if (typeof value === 'boolean') return value ? messages.yes : messages.no;
  if (typeof value === 'number') return formatNumber(name, value, currency);
  if (Array.isArray(value))
    return value.length === 0 ? messages.noValue : messages.valueList(value.map(itemText));
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  return /_(?:at|until)$/.test(name) && !Number.isNaN(Date.parse(text)) ? formatDate(text) : text;
}

/** The text of a list item. For a question of the application form, this is its label. */
function itemText(item: unknown): string {
  const state = toState(item);
  return state === null ? String(item) : String(state['label'] ?? JSON.stringify(state));
}

function formatNumber(name: string, value: number, currency: string): string {
  if (name.endsWith('_cents')) return formatMoney(value, currency);
  if (name === 'rate') return messages.percent(value);
  return name === 'rate_bps' ? messages.percent(value / 100) : String(value);
}
