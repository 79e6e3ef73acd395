import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get } from '../../api/client.ts';
import type { ItemReply, Trace } from '../../api/types.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Refusals } from './refusals.tsx';
import { Story } from './story.tsx';
import { traceQueries } from './trace.ts';

/** Explains what a customer's click, sale or commission came to, and why. */
export function Why(): JSX.Element {
  const { api } = useProgram();
  const [{ q = '' }, change] = useQueryState();
  const trace = useQuery<Trace | null, Error>({
    queryKey: [`${api}/trace`, q],
    queryFn: ({ signal }) => findTrace(`${api}/trace`, q, signal),
    enabled: q !== '',
  });
  return (
    <Page title="Why?" intro="Find out why a sale was credited to a partner, or why it was not.">
      <div class="stack wide">
        <Search text={q} onSearch={(text) => change({ q: text, sale: '' })} />
        {q === '' ? (
          <Examples onSearch={(text) => change({ q: text })} />
        ) : trace.error ? (
          <ErrorNotice error={trace.error} onRetry={() => void trace.refetch()} />
        ) : trace.data === undefined ? (
          <div class="stack" aria-busy="true">
            <Skeleton height="120px" />
            <Skeleton height="240px" />
          </div>
        ) : (
          <>
            {trace.data && <Story trace={trace.data} query={q} />}
            <Refusals query={q} isFound={trace.data !== null} />
          </>
        )}
      </div>
    </Page>
  );
}

/** Tries each meaning of the text. Resolves with null when the program has nothing by that name. */
async function findTrace(path: string, text: string, signal: AbortSignal): Promise<Trace | null> {
  for (const query of traceQueries(text)) {
    try {
      return (await get<ItemReply<Trace>>(path, { ...query, pageSize: 100 }, signal)).data;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
  return null;
}

function Search({ text, onSearch }: { text: string; onSearch: (text: string) => void }): JSX.Element {
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  return (
    <search>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(draft.trim());
        }}
      >
        <input
          type="search"
          class="input why-search"
          aria-label="Transaction id, click id, customer key or commission"
          placeholder="Transaction id, click id, customer key, or #commission"
          maxLength={255}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
        <Button type="submit" kind="primary">
          Explain
        </Button>
      </form>
    </search>
  );
}

function Examples({ onSearch }: { onSearch: (text: string) => void }): JSX.Element {
  const { api, may } = useProgram();
  const latest = useQuery<string | null, Error>({
    queryKey: [`${api}/commissions`, 'latest transaction'],
    queryFn: async ({ signal }) => {
      const reply = await get<{ data: readonly { transaction_id: string }[] }>(
        `${api}/commissions`,
        { pageSize: 1 },
        signal,
      );
      return reply.data[0]?.transaction_id ?? null;
    },
    enabled: may('commission:list'),
  });
  const transactionId = latest.data ?? null;
  return (
    <Empty
      action={
        transactionId !== null && (
          <Button onClick={() => onSearch(transactionId)}>Explain the latest sale, {transactionId}</Button>
        )
      }
    >
      Enter the id of an order, a click id from a support request, or your id of a customer. You get every
      decision about it, with the rule behind each one.
    </Empty>
  );
}
