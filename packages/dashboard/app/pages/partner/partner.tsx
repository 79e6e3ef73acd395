import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partner.tsx';
import type { ItemReply, PartnerDetail as PartnerRow } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Skeleton, Status } from '../../ui/state.tsx';
import { PartnerApplication } from './application.tsx';
import { PartnerMoney } from './money.tsx';
import { PartnerButtons } from './partner-buttons.tsx';
import { PartnerLinks } from './partner-links.tsx';
import { PartnerPolicies } from './partner-policies.tsx';
import { Performance } from './performance.tsx';
import { RecentCommissions, RecentPayouts } from './recent.tsx';

/** The page of a partner, with statistics, earnings and policies. */
export function PartnerDetail(): JSX.Element {
  const view = useProgram();
  const partnerId = useRoute().params['partnerId'] ?? '';
  const reply = useApi<ItemReply<PartnerRow>>(`${view.api}/partners/${partnerId}`);
  const partner = reply.data?.data;
  const above = <Link to={`${view.page}/partners`}>{common.partners}</Link>;
  if (reply.error && !partner) {
    return (
      <Page title={common.partner} above={above}>
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      </Page>
    );
  }
  return (
    <Page
      title={partner?.name ?? common.partner}
      above={above}
      intro={
        <span class="row">
          {partner ? (
            <>
              <Status status={partner.status} />
              <span class="copyable">
                {partner.email}
                <CopyButton text={partner.email} label={messages.copyEmail} isIcon />
              </span>
              {partner.min_payout_cents !== null && (
                <span class="quiet">
                  {messages.minimum(formatMoney(partner.min_payout_cents, view.program.currency))}
                </span>
              )}
            </>
          ) : (
            <Skeleton width="280px" height="32px" />
          )}
        </span>
      }
      actions={
        partner ? (
          <PartnerButtons partner={partner} />
        ) : (
          view.may('partner:update') && <Skeleton width="96px" height="var(--control)" />
        )
      }
    >
      <div class="stack wide">
        {reply.error && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
        {partner?.application && (
          <PartnerApplication application={partner.application} reason={partner.status_reason} />
        )}
        <Performance partnerId={partnerId} />
        <PartnerMoney partnerId={partnerId} partner={partner} />
        <PartnerLinks partner={partner} />
        <RecentCommissions partnerId={partnerId} />
        <RecentPayouts partnerId={partnerId} />
        <PartnerPolicies partnerId={partnerId} />
      </div>
    </Page>
  );
}
