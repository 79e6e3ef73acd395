import type { JSX } from 'preact';
import * as messages from '#messages/payout-batches.ts';
import { apiUrl } from '../../api/client.ts';
import type { PayoutBatch } from '../../api/types.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { usePageOverlay } from '../../ui/page-overlay.tsx';

const loadImport = () => import('./import-report.tsx').then((module) => module.ImportReport);
const loadDetail = () => import('./batch-detail.tsx').then((module) => module.BatchDetail);

/**
 * The actions on a batch. If a payment service sends the batch, the results arrive automatically. The user can import
 * the results of such a batch only if some of them are unclear. A file can be downloaded only until the first of its
 * payouts has a result.
 */
export function BatchActions({ batch }: { batch: PayoutBatch }): JSX.Element {
  const { api, may } = useProgram();
  const { id, channel, status, payouts, sent, unclear } = batch;
  const { load } = usePageOverlay();
  const isFile = messages.providerOf(channel) === null;
  const isImportable = isFile ? status === 'open' : unclear > 0;
  return (
    <span class="row">
      {isFile && sent === payouts && may('payout:create') && (
        <a
          class="button"
          href={apiUrl(`${api}/payout-batches/${id}/file`)}
          aria-label={messages.downloadFile(id)}
          download
        >
          {messages.download}
        </a>
      )}
      {isImportable && may('payout:update') && (
        <Button onClick={() => load(loadImport, { batch })}>{messages.importReport}</Button>
      )}
      <Button label={messages.detailsOf(id)} onClick={() => load(loadDetail, { batch })}>
        {messages.details}
      </Button>
    </span>
  );
}
