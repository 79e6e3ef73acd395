import { locale } from '#messages/locale.ts';
import { lazy } from './lazy.ts';

const list = lazy(() => new Intl.ListFormat(locale));

/** Formats a list, such as `$5.00, €4.00, and ¥300`. */
export function formatList(texts: readonly string[]): string {
  return list().format(texts);
}
