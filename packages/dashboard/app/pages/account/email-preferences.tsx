import type { JSX } from 'preact';
import * as messages from '#messages/account.ts';
import * as common from '#messages/common.ts';
import type { ItemReply, Me, EmailPreferences as Preferences } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useSession } from '../../session/session.tsx';
import { CheckField } from '../../ui/controls.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';

const PREFERENCES_PATH = '/api/auth/email-preferences';

type Category = keyof Preferences;

/**
 * The kinds of emails that the user can get. They depend on the user's roles in all workspaces and programs.
 */
function categoriesOf({ workspaces, partners }: Me): readonly Category[] {
  const isReviewer = workspaces.some(({ role }) => role === 'owner' || role === 'admin');
  return [
    ...(isReviewer ? (['review_tasks'] as const) : []),
    ...(partners.length > 0 ? (['commission_changes', 'monthly_summary'] as const) : []),
  ];
}

/**
 * Lets the user choose which emails to get. Each choice is saved at once. Renders nothing for users who get
 * none of these emails.
 */
export function EmailPreferences(): JSX.Element | null {
  const categories = categoriesOf(useSession().me);
  const { data, error, refetch } = useApi<ItemReply<Preferences>>(PREFERENCES_PATH);
  const { mutateAsync } = useChange(PREFERENCES_PATH);
  const toast = useToast();
  const save = async (change: Partial<Preferences>) => {
    try {
      await mutateAsync({ method: 'PUT', path: PREFERENCES_PATH, body: change });
      toast(messages.emailsSaved);
    } catch (failure) {
      toast(failure instanceof Error ? failure.message : common.changeFailed);
    }
  };
  if (categories.length === 0) return null;
  return (
    <section class="card" aria-labelledby="emails">
      <h2 id="emails">{messages.emails}</h2>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        // The choices are hidden while they load, so that nothing below them moves.
        <div class="stack tight" style={data ? undefined : { visibility: 'hidden' }}>
          {categories.map((category) => (
            <CheckField
              key={category}
              label={messages.emailCategories[category].label}
              hint={messages.emailCategories[category].hint}
              checked={data?.data[category] ?? false}
              onChange={(checked) => void save({ [category]: checked })}
            />
          ))}
        </div>
      )}
    </section>
  );
}
