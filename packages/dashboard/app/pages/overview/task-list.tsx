import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import * as messages from '#messages/overview.ts';
import { send } from '../../api/client.ts';
import type { ItemReply, ListReply, PayoutPreview, ProgramSetup } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { type Task, tasksOf } from './tasks.ts';

const TASKS_REFRESH_MS = 60_000;

/** Reads the open tasks. Undefined until every request has succeeded or failed. */
export function useTasks(): readonly Task[] | undefined {
  const { api, may } = useProgram();
  const partners = useCount(`${api}/partners`, { status: 'pending' }, may('partner:update'));
  const commissions = useCount(`${api}/commissions`, { needs_approval: 1 }, may('commission:update'));
  const payouts = useCount(`${api}/payouts`, { status: 'pending' }, may('payout:update'));
  const preview = useQuery<PayoutPreview, Error>({
    queryKey: [`${api}/payouts/preview`, {}],
    queryFn: () => send<PayoutPreview>('POST', `${api}/payouts/preview`, {}),
    enabled: may('payout:create'),
  });
  const setup = useApi<ItemReply<ProgramSetup>>(
    `${api}/integration`,
    {},
    { enabled: may('program:update'), refreshMs: TASKS_REFRESH_MS },
  );
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

function useCount(path: string, query: Readonly<Record<string, string | number>>, enabled: boolean) {
  return useApi<ListReply<unknown>>(
    path,
    { ...query, pageSize: 1 },
    { enabled, refreshMs: TASKS_REFRESH_MS },
  );
}

/** The open tasks, each with a link to the page that completes it. */
export function TaskList({ tasks }: { tasks: readonly Task[] }): JSX.Element | null {
  const { page, program } = useProgram();
  if (tasks.length === 0) return null;
  return (
    <section class="card flush" aria-label={messages.tasks}>
      <ul class="tasks">
        {tasks.map(({ id, text, action, path, of, tone }) => (
          <li key={id} class={tone}>
            <span>{text}</span>
            <Link to={(of === 'workspace' ? `/w/${program.workspace_id}` : page) + path}>{action}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
