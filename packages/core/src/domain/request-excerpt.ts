import { flattenString } from './flatten-string.ts';
import { findPartnerCode } from './partner-code.ts';

/** Selected fields of a rejected request, without personal data and credentials. */
export type RequestExcerpt = Readonly<Record<string, string | number | boolean>>;

/** The fields of each tracking request that help to find out why it was rejected. */
const EXCERPT_FIELDS = {
  click: ['affiliate_url', 'page_url', 'existing_click_id', 'sub_id'],
  lead: ['click_id', 'customer_key', 'event_name', 'page_url', 'occurred_at', 'age_ms'],
  sale: [
    'transaction_id',
    'amount_cents',
    'currency',
    'customer_key',
    'click_id',
    'sale_type',
    'is_recurring',
    'subscription_id',
    'product_id',
    'tax_cents',
    'shipping_cents',
    'occurred_at',
    'age_ms',
  ],
  refund: ['transaction_id', 'refund_amount_cents', 'refund_id', 'occurred_at', 'age_ms'],
} as const;
const DATA_FIELDS = ['program_id', 'test_mode'] as const;
const URL_FIELDS: ReadonlySet<string> = new Set(['affiliate_url', 'page_url']);

const MAX_EXCERPT_LENGTH = 255;
/** Longer texts are cut to this length before they are searched for personal data. */
const MAX_SEARCHED_LENGTH = 2_048;
const CREDENTIAL = /^(?:aff[ki]?_[0-9A-Za-z]{20}|whsec_|eyJ[0-9A-Za-z_-]{20}|[sr]k_(?:live|test)_)/;
const SEPARATORS = /([\s/?#&=,;:<>()"']+)/;

/**
 * Selects the known fields of a request body. The size of the result is limited, whatever the body contains.
 */
export function excerptOf(
  route: keyof typeof EXCERPT_FIELDS,
  body: Readonly<Record<string, unknown>>,
): RequestExcerpt {
  const excerpt: Record<string, string | number | boolean> = {};
  const additionalData = body['additional_data'];
  for (const name of EXCERPT_FIELDS[route]) addField(excerpt, name, body[name]);
  if (route === 'click' && typeof body['affiliate_url'] === 'string') {
    const url = URL.parse(body['affiliate_url']);
    if (url) addField(excerpt, 'partner_code', findPartnerCode(url));
  }
  if (typeof additionalData === 'object' && additionalData !== null) {
    for (const name of DATA_FIELDS)
      addField(excerpt, name, (additionalData as Record<string, unknown>)[name]);
  }
  return excerpt;
}

/** Masks email addresses and credentials in a text from any source, and cuts it to 255 characters. */
export function maskText(text: string): string {
  const storable = text.slice(0, MAX_SEARCHED_LENGTH).replaceAll('\0', '').toWellFormed();
  const masked = storable.split(SEPARATORS).map(maskWord).join('');
  // Cut the text to its final length only after masking. An email address that is cut in the middle would not
  // be masked.
  return flattenString(masked.slice(0, MAX_EXCERPT_LENGTH).toWellFormed());
}

function addField(excerpt: Record<string, string | number | boolean>, name: string, value: unknown): void {
  if (typeof value === 'boolean') excerpt[name] = value;
  // JSON has no infinity, so a number such as 1e400 would be stored as null.
  else if (typeof value === 'number') excerpt[name] = Number.isFinite(value) ? value : String(value);
  else if (typeof value === 'string')
    excerpt[name] = maskText(URL_FIELDS.has(name) ? withoutQuery(value) : value);
  else if (value !== undefined && value !== null)
    excerpt[name] = Array.isArray(value) ? '(array)' : '(object)';
}

/**
 * Removes the query and the fragment of a URL. They may contain personal data, such as an email address from a
 * newsletter link.
 */
function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

function maskWord(word: string): string {
  const at = Math.max(word.lastIndexOf('@'), word.toLowerCase().lastIndexOf('%40'));
  if (at > 0) return `${String.fromCodePoint(word.codePointAt(0) ?? 42)}***${word.slice(at)}`;
  return CREDENTIAL.test(word) ? `${word.slice(0, word.indexOf('_') + 1)}…` : word;
}
