import type { JSX } from 'preact';
import * as messages from '#messages/ui.tsx';
import { apiUrl, type Query } from '../api/client.ts';
import { Icon } from './icons.tsx';

/** A link that downloads a list as CSV, with the filters of the page. */
export function CsvLink({ path, query }: { path: string; query?: Query }): JSX.Element {
  return (
    <a class="button" href={apiUrl(path, query)} download>
      <Icon name="download" size={16} />
      {messages.csv}
    </a>
  );
}
