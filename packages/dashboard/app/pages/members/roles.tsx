import { Fragment, type JSX } from 'preact';
import type { Role } from '../../api/types.ts';

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
};

export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  owner: 'Does everything, including members and the audit log.',
  admin:
    'Runs the programs: settings, partners, commissions, payouts, API keys, and the payment processor. Does not see members or the audit log.',
  member: 'Sees partners, customers, commissions, and payouts, and looks up why. Changes nothing.',
  viewer: 'Sees the figures of the overview. Does not see customers, commissions, or payouts.',
};

// The keys of the record are the roles.
const ROLES: readonly Role[] = Object.keys(ROLE_NAMES) as Role[];

export const ROLE_CHOICES = ROLES.map((value) => ({ value, text: ROLE_NAMES[value] }));

/** What each role may do. */
export function RoleGuide(): JSX.Element {
  return (
    <section class="card" aria-labelledby="roles">
      <h2 id="roles">What each role may do</h2>
      <dl class="facts">
        {ROLES.map((role) => (
          <Fragment key={role}>
            <dt>{ROLE_NAMES[role]}</dt>
            <dd>{ROLE_TEXTS[role]}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
