import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/why.tsx';
import { ApiError } from '../../api/client.ts';
import { readTrace, type WholeTrace } from '../../api/read-trace.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { LatestSales } from './latest-sales.tsx';
import { Refusals } from './refusals.tsx';
import { Story } from './story.tsx';
import { type TraceSearch, traceQueries } from './trace.ts';

interface FoundTrace {
  readonly trace: WholeTrace;
  /** The query that found the trace. */
  readonly search: TraceSearch;
}

/** Explains all decisions about the customer of a click, sale or commission. */
export function Why(): JSX.Element {
  const { api } = useProgram();
  const [{ q = '', commission = '' }, change] = useQueryState();
  const text = commission === '' ? q : `#${commission}`;
  const searches = commission === '' ? traceQueries(q) : [{ commission_id: commission }];
  const found = useQuery<FoundTrace | null, Error>({
    queryKey: [`${api}/trace`, searches],
    queryFn: ({ signal }) => findTrace(`${api}/trace`, searches, signal),
    enabled: text !== '',
  });
  return (
    <Page title={common.why} error={found.error} intro={messages.intro}>
      <div class="stack wide">
        <Search text={text} onSearch={(next) => change({ q: next, commission: '', sale: '' })} />
        {text === '' ? (
          <LatestSales />
        ) : found.error ? (
          <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />
        ) : found.data === undefined ? (
          <div class="stack" aria-busy="true">
            <Skeleton height="120px" />
            <Skeleton height="240px" />
          </div>
        ) : (
          <>
            {found.data && <Story {...found.data} text={text} />}
            <Refusals key={text} query={text} isFound={found.data !== null} />
          </>
        )}
      </div>
    </Page>
  );
}

/** Tries the searches one after another. Resolves to null if none of them finds a trace in the program. */
async function findTrace(
  path: string,
  searches: readonly TraceSearch[],
  signal: AbortSignal,
): Promise<FoundTrace | null> {
  for (const search of searches) {
    try {
      return { trace: await readTrace(path, { ...search }, signal), search };
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
          aria-label={messages.search}
          placeholder={messages.searchExample}
          maxLength={255}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
        <Button type="submit" kind="primary">
          {messages.explain}
        </Button>
      </form>
    </search>
  );
}
