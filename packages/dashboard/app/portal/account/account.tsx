import { Fragment, type JSX } from 'preact';
import * as details from '#messages/payout-details.ts';
import * as messages from '#messages/portal-account.ts';
import { apiUrl } from '../../api/client.ts';
import { PARTNER_EXPORT } from '../../api/portal-requests.ts';
import { UserSettings } from '../../pages/account/user-settings.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Link } from '../../ui/link.tsx';
import { useEnrollments } from '../enrollment.ts';

/** The account page of the partner portal. It also shows the workspaces in which the user is a partner. */
export function PortalAccount(): JSX.Element {
  const partners = new Map(useEnrollments().map(({ partner }) => [partner.id, partner]));
  return (
    <UserSettings
      memberships={[...partners.values()].map((partner) => (
        <Fragment key={partner.id}>
          <dt>{messages.partnerOf}</dt>
          <dd>
            {partner.workspace_name}
            <span class="sub">{messages.knownAs(partner.name, partner.email)}</span>
          </dd>
        </Fragment>
      ))}
    >
      {partners.size > 0 && (
        <div class="grid">
          <section class="card" aria-labelledby="payout-details">
            <h2 id="payout-details">{details.title}</h2>
            <div class="stack">
              <p class="quiet">{details.intro}</p>
              <div>
                <Link to="/partner/payout-details" button="normal">
                  {messages.openDetails}
                </Link>
              </div>
            </div>
          </section>
          <section class="card" aria-labelledby="data">
            <h2 id="data">{messages.yourData}</h2>
            <div class="stack">
              <p class="quiet">{messages.exportText}</p>
              <div>
                <a class="button" href={apiUrl(PARTNER_EXPORT)} download>
                  <Icon name="download" size={16} />
                  {messages.exportData}
                </a>
              </div>
            </div>
          </section>
        </div>
      )}
    </UserSettings>
  );
}
