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
  const [{ q = '' }, change] = useQueryState();
  const found = useQuery<FoundTrace | null, Error>({
    queryKey: [`${api}/trace`, q],
    queryFn: ({ signal }) => findTrace(`${api}/trace`, q, signal),
    enabled: q !== '',
  });
  return (
    <Page title={common.why} error={found.error} intro={messages.intro}>
      <div class="stack wide">
        <Search text={q} onSearch={(text) => change({ q: text, sale: '' })} />
        {q === '' ? (
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
            {found.data && <Story {...found.data} />}
            <Refusals query={q} isFound={found.data !== null} />
          </>
        )}
      </div>
    </Page>
  );
}

/**
 * Tries the possible meanings of the text, one after another. Resolves to null when none of them exists in
 * the program.
 */
async function findTrace(path: string, text: string, signal: AbortSignal): Promise<FoundTrace | null> {
  for (const search of traceQueries(text)) {
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
