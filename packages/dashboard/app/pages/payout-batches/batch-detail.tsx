import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payout-batches.ts';
import type { ItemReply, PayoutBatch } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { BatchProgress } from './batch-progress.tsx';

/** The results of a batch, and a button to cancel the batch before its payouts are sent. */
export function BatchDetail({ batch, onClose }: { batch: PayoutBatch; onClose: () => void }): JSX.Element {
  const { api, may } = useProgram();
  const path = `${api}/payout-batches/${batch.id}`;
  const { mutateAsync } = useChange<ItemReply<PayoutBatch>>(api);
  const { data } = useApi<ItemReply<PayoutBatch>>(path);
  const [isAsking, setAsking] = useState(false);
  const { unsent, sent } = data?.data ?? batch;
  if (isAsking) {
    const isFile = messages.providerOf(batch.channel) === null;
    return (
      <FormDialog
        key="ask"
        title={messages.cancelTitle(batch.id)}
        submit={messages.cancelUnsent(unsent)}
        danger
        onSubmit={() => mutateAsync({ method: 'POST', path: `${path}/cancel` })}
        onClose={onClose}
      >
        <p>{messages.cancelWarning(unsent)}</p>
        <p class="quiet">{isFile ? messages.cancelFile : messages.cancelProvider(sent - unsent)}</p>
      </FormDialog>
    );
  }
  return (
    <Dialog key="show" title={messages.batchNumber(batch.id)} onClose={onClose}>
      <BatchProgress id={batch.id} />
      <div class="dialog-end">
        {unsent > 0 && may('payout:update') && (
          <Button onClick={() => setAsking(true)}>{messages.cancelBatch}</Button>
        )}
        <Button onClick={onClose}>{common.close}</Button>
      </div>
    </Dialog>
  );
}
