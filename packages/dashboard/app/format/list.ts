import { locale } from '#messages/locale.ts';

const list = new Intl.ListFormat(locale);

/** `$5.00, €4.00, and ¥300`. */
export function formatList(texts: readonly string[]): string {
  return list.format(texts);
}
