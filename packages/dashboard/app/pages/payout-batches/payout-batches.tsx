import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payout-batches.ts';
import type { PayoutBatch } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { prefetchList, useList } from '../../ui/use-list.ts';
import { Money, Time } from '../../ui/values.tsx';
import { BatchActions } from './batch-actions.tsx';
import { Results } from './results.tsx';

const FILES: Readonly<Record<string, string>> = messages.channels;

/** The batches of payouts, with the results of each. */
export function PayoutBatches(): JSX.Element {
  const { api, page } = useProgram();
  const path = `${api}/payout-batches`;
  const batches = useList<PayoutBatch>(path);
  const payoutsPath = `${page}/payouts`;
  const columns: readonly Column<PayoutBatch>[] = [
    {
      title: messages.batch,
      cell: ({ id, channel }) => (
        <>
          {messages.batchNumber(id)}
          <span class="sub">
            {FILES[channel] ?? messages.sentBy(messages.providerOf(channel) ?? channel)}
          </span>
        </>
      ),
    },
    { title: common.created, cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
    { title: messages.result, size: 'fit', cell: (batch) => <Results batch={batch} /> },
    { title: messages.payouts, align: 'end', cell: ({ payouts }) => formatCount(payouts) },
    {
      title: common.amount,
      align: 'end',
      size: 'main',
      cell: ({ amount_cents, currency }) => <Money cents={amount_cents} currency={currency} />,
    },
    {
      title: messages.actions,
      size: 'wide',
      isUntitled: true,
      cell: (batch) => <BatchActions batch={batch} />,
    },
  ];
  return (
    <Page
      title={messages.title}
      error={batches.error}
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
    </Page>
  );
}

PayoutBatches.prefetch = prefetchList('payout-batches', []);
