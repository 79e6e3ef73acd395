import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import * as messages from '#messages/why.tsx';
import type { ListReply, Refusal } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';

const SHOWN_REFUSALS = 20;

/** Reads the latest rejected calls that contain the text. */
export function useRefusals(text: string): UseQueryResult<ListReply<Refusal>, Error> {
  return useApi(`${useProgram().api}/refusals`, { q: text, pageSize: SHOWN_REFUSALS });
}

/** Rejected calls that contain the search text. They often explain why a sale is missing. */
export function Refusals({ query, isFound }: { query: string; isFound: boolean }): JSX.Element | null {
  const { page, may } = useProgram();
  const reply = useRefusals(query);
  const rows = reply.data?.data;
  // Most searches match no rejected call, so the list and its texts are loaded when they are needed.
  const list = useQuery({
    queryKey: ['refusal-list'],
    queryFn: () => import('./refusal-list.tsx'),
    enabled: rows !== undefined && rows.length > 0,
  });
  const { error, refetch } = reply.error ? reply : list;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!rows) return <Skeleton height="80px" />;
  if (rows.length === 0) {
    return isFound ? null : (
      <section class="card">
        <Empty
          action={
            may('partner:list') && (
              <Link to={`${page}/partners?q=${encodeURIComponent(query)}`} button="normal">
                {messages.searchPartners}
              </Link>
            )
          }
        >
          {messages.nothingFound(query)}
        </Empty>
      </section>
    );
  }
  if (!list.data) return <Skeleton height="80px" />;
  return <list.data.RefusalList rows={rows} query={query} isFound={isFound} />;
}
