import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import * as messages from '#messages/overview.ts';
import type { Query } from '../../api/client.ts';
import { payableNow } from '../../api/payable-now.ts';
import type { ItemReply, ListReply, ProgramSetup } from '../../api/types.ts';
import { apiQuery } from '../../api/use-api.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { type Task, tasksOf } from './tasks.ts';

const TASKS_REFRESH_MS = 60_000;

/** Returns the open tasks, or undefined until every request has succeeded or failed. */
export function useTasks(): readonly Task[] | undefined {
  const { api, may } = useProgram();
  const queries = taskQueries(api, may);
  const partners = useQuery(queries.partners);
  const commissions = useQuery(queries.commissions);
  const payouts = useQuery(queries.payouts);
  const preview = useQuery(queries.preview);
  const setup = useQuery(queries.setup);
  if ([partners, commissions, payouts, preview, setup].some(({ isLoading }) => isLoading)) return undefined;
  const facts = {
    pendingPartners: partners.data?.meta.pagination.total,
    commissionsInReview: commissions.data?.meta.pagination.total,
    pendingPayouts: payouts.data?.meta.pagination.total,
    payable: preview.data?.meta.totals,
    setup: setup.data?.data,
  };
  return tasksOf(facts, may);
}

/** The queries for the facts that the user's role may read. */
export function taskQueries(api: string, may: ProgramView['may']) {
  const refetchInterval = TASKS_REFRESH_MS;
  const count = (path: string, query: Query, enabled: boolean) => ({
    ...apiQuery<ListReply<unknown>>(`${api}${path}`, { ...query, pageSize: 1 }),
    refetchInterval,
    enabled,
  });
  return {
    setup: {
      ...apiQuery<ItemReply<ProgramSetup>>(`${api}/integration`),
      refetchInterval,
      enabled: may('program:update'),
    },
    partners: count('/partners', { status: 'pending' }, may('partner:update')),
    commissions: count('/commissions', { needs_approval: 1 }, may('commission:update')),
    payouts: count('/payouts', { status: 'pending' }, may('payout:update')),
    preview: { ...payableNow(api), enabled: may('payout:create') },
  };
}

/** The open tasks. Each has a link to the page on which the user can complete it. */
export function TaskList({ tasks }: { tasks: readonly Task[] }): JSX.Element | null {
  const { page, program } = useProgram();
  if (tasks.length === 0) return null;
  const bases = {
    program: page,
    workspace: `/w/${program.workspace_id}`,
    steps: `/welcome?program=${program.id}`,
  };
  return (
    <section class="card flush" aria-label={messages.tasks}>
      <ul class="tasks">
        {tasks.map(({ id, text, action, path, of, tone }) => (
          <li key={id} class={tone}>
            <span>{text}</span>
            <Link to={bases[of ?? 'program'] + path}>{action}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
