import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payout-batches.ts';
import { apiUrl } from '../../api/client.ts';
import type { PayoutBatch } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Badge, Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { prefetchList, useList } from '../../ui/use-list.ts';
import { Money, Time } from '../../ui/values.tsx';
import { ImportReport } from './import-report.tsx';

const CHANNEL_NAMES = { ...messages.channels, ...messages.providers };

/** The files of payouts, with the results of each. */
export function PayoutBatches(): JSX.Element {
  const { api, page, may } = useProgram();
  const path = `${api}/payout-batches`;
  const batches = useList<PayoutBatch>(path);
  const [importing, setImporting] = useState<PayoutBatch | null>(null);
  const payoutsPath = `${page}/payouts`;
  const columns: readonly Column<PayoutBatch>[] = [
    {
      title: messages.file,
      cell: ({ id, channel }) => (
        <>
          {messages.fileNumber(id)}
          <span class="sub">{CHANNEL_NAMES[channel]}</span>
        </>
      ),
    },
    { title: common.created, size: 'half', cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
    { title: messages.payouts, align: 'end', cell: ({ payouts }) => formatCount(payouts) },
    { title: messages.result, size: 'fit', cell: (batch) => <Results batch={batch} /> },
    {
      title: common.amount,
      align: 'end',
      cell: ({ amount_cents, currency }) => <Money cents={amount_cents} currency={currency} />,
    },
    {
      title: messages.actions,
      size: 'wide',
      isUntitled: true,
      cell: (batch) => (
        <span class="row">
          {may('payout:create') && batch.channel in messages.channels && (
            <a
              class="button"
              href={apiUrl(`${path}/${batch.id}/file`)}
              aria-label={messages.downloadFile(batch.id)}
              download
            >
              {messages.download}
            </a>
          )}
          {may('payout:update') && batch.status === 'open' && (
            <Button onClick={() => setImporting(batch)}>{messages.importReport}</Button>
          )}
        </span>
      ),
    },
  ];
  return (
    <Page
      title={messages.title}
      above={<Link to={payoutsPath}>{common.payouts}</Link>}
      intro={messages.intro}
    >
      <Table
        label={messages.title}
        columns={columns}
        {...batches}
        empty={
          <Empty
            action={
              <Link to={payoutsPath} button="primary">
                {messages.goToPayouts}
              </Link>
            }
          >
            {messages.none}
          </Empty>
        }
      />
      {importing && <ImportReport batch={importing} onClose={() => setImporting(null)} />}
    </Page>
  );
}

PayoutBatches.prefetch = prefetchList('payout-batches', []);

function Results({ batch: { sent, paid, failed } }: { batch: PayoutBatch }): JSX.Element {
  return (
    <span class="row">
      {sent > 0 && <Badge tone="warn">{messages.open(sent)}</Badge>}
      {paid > 0 && <Badge tone="good">{messages.paid(paid)}</Badge>}
      {failed > 0 && <Badge tone="bad">{messages.failed(failed)}</Badge>}
    </span>
  );
}
