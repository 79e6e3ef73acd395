import { Fragment, type JSX } from 'preact';
import * as messages from '#messages/members.ts';
import type { Role } from '../../api/types.ts';

export const ROLE_NAMES: Readonly<Record<Role, string>> = messages.roles;

// The cast is safe because the keys of the record are exactly the roles.
const ROLES: readonly Role[] = Object.keys(ROLE_NAMES) as Role[];

export const ROLE_CHOICES = ROLES.map((value) => ({ value, text: ROLE_NAMES[value] }));

/** A description of the roles and their permissions. */
export function RoleGuide(): JSX.Element {
  return (
    <section class="card" aria-labelledby="roles">
      <h2 id="roles">{messages.rolesTitle}</h2>
      <dl class="facts">
        {ROLES.map((role) => (
          <Fragment key={role}>
            <dt>{ROLE_NAMES[role]}</dt>
            <dd>{messages.roleTexts[role]}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
