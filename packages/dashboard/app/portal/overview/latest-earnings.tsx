import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as portal from '#messages/portal.tsx';
import * as messages from '#messages/portal-overview.ts';
import type { ListReply, PortalEarning } from '../../api/types.ts';
import { type ApiQuery, apiQuery, useApi } from '../../api/use-api.ts';
import { Link } from '../../ui/link.tsx';
import { netCentsOf } from '../../ui/net-sums.ts';
import { Empty, ErrorNotice, Skeleton, Status } from '../../ui/state.tsx';
import { Money, Time } from '../../ui/values.tsx';
import { type Enrollment, useEnrollment } from '../enrollment.ts';

const PATH = '/api/partner/commissions';
const ROWS = 5;

function queryOf({ query }: Enrollment) {
  return { ...query, pageSize: ROWS };
}

/** The request of the latest earnings. */
export function latestQuery(enrollment: Enrollment): ApiQuery<ListReply<PortalEarning>> {
  return apiQuery<ListReply<PortalEarning>>(PATH, queryOf(enrollment));
}

/** The latest commissions of the partner in the program. */
export function LatestEarnings(): JSX.Element {
  const enrollment = useEnrollment();
  const { page } = enrollment;
  const { data, error, refetch } = useApi<ListReply<PortalEarning>>(PATH, queryOf(enrollment));
  return (
    <section aria-labelledby="latest">
      <div class="row apart section-title">
        <h2 id="latest">{messages.latest}</h2>
        <Link to={`${page}/earnings`}>{messages.all}</Link>
      </div>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <div class="card" aria-busy="true">
          <Skeleton height="180px" />
        </div>
      ) : data.data.length === 0 ? (
        <div class="card flush">
          <Empty
            action={
              <Link to={`${page}/links`} button="normal">
                {messages.toLinks}
              </Link>
            }
          >
            {messages.noEarnings}
          </Empty>
        </div>
      ) : (
        <div class="card flush">
          <table class="table pairs" aria-label={messages.latest}>
            <thead>
              <tr>
                <th scope="col">{common.date}</th>
                <th scope="col">{common.status}</th>
                <th scope="col" class="end">
                  {portal.earnings}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Row({ row }: { row: PortalEarning }): JSX.Element {
  const { commission_date, status, currency } = row;
  return (
    <tr>
      <td class="lead">
        <Time at={commission_date} />
      </td>
      <td>
        <Status status={status} pending="info" />
      </td>
      <td class="end">
        <Money cents={netCentsOf(row)} currency={currency} />
      </td>
    </tr>
  );
}
