import { Fragment, type JSX } from 'preact';
import * as messages from '#messages/account.ts';
import { useSession } from '../../session/session.tsx';
import { ROLE_NAMES } from '../members/roles.tsx';
import { UserSettings } from './user-settings.tsx';

/** The account page for advertisers. It also shows the user's role in each workspace. */
export function Account(): JSX.Element {
  const { workspaces } = useSession().me;
  return (
    <UserSettings
      memberships={workspaces.map(({ id, name, role }) => (
        <Fragment key={id}>
          <dt>{messages.roleOf(ROLE_NAMES[role])}</dt>
          <dd>{name}</dd>
        </Fragment>
      ))}
    />
  );
}
