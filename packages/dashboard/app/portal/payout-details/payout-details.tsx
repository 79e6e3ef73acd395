import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payout-details.ts';
import { ApiError } from '../../api/client.ts';
import { PAYOUT_DETAILS } from '../../api/portal-requests.ts';
import type { ItemReply, PayoutDetails } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { PORTAL_NOTIFICATIONS } from '../../api/use-portal-notifications.ts';
import { formatTime } from '../../format/time.ts';
import { Button, Select, TextField } from '../../ui/controls.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import { withoutSent } from '../../ui/unsaved.ts';
import { useLeaveGuard } from '../../ui/use-leave-guard.tsx';
import { useOverlay } from '../../ui/use-overlay.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { type Enrollment, useEnrollments } from '../enrollment.ts';
import { NoProgram } from '../states.tsx';
import { bodyOf, checkDraft, type DetailsDraft, draftOf, fieldOf } from './details-draft.ts';
import { AccountFields, TaxFields } from './details-fields.tsx';

const loadDelete = () => import('./delete-details.tsx').then((module) => module.DeleteDetails);

/** Shows and changes how the user is paid, in each workspace in which the user is a partner. */
export function PortalPayoutDetails(): JSX.Element {
  const [{ partner = '' }, change] = useQueryState();
  const partners = [...new Map(useEnrollments().map((one) => [one.partner.id, one.partner])).values()];
  const chosen = partners.find(({ id }) => String(id) === partner) ?? partners[0];
  if (chosen === undefined) return <NoProgram />;
  return (
    <Page
      title={messages.title}
      intro={messages.intro}
      actions={
        partners.length > 1 && (
          <Select
            label={messages.partner}
            value={String(chosen.id)}
            choices={partners.map(({ id, workspace_name }) => ({ value: String(id), text: workspace_name }))}
            onChange={(id) => change({ partner: id })}
          />
        )
      }
    >
      <Details key={chosen.id} partner={chosen} />
    </Page>
  );
}

function Details({ partner }: { partner: Enrollment['partner'] }): JSX.Element {
  const details = useApi<ItemReply<PayoutDetails | null>>(PAYOUT_DETAILS, { partner_id: partner.id });
  if (details.isPending) return <Skeleton height="420px" />;
  return (
    <>
      {details.error && <ErrorNotice error={details.error} onRetry={() => void details.refetch()} />}
      {details.data && <DetailsForm saved={details.data.data} partnerId={partner.id} />}
    </>
  );
}

function DetailsForm({ saved, partnerId }: { saved: PayoutDetails | null; partnerId: number }): JSX.Element {
  // A change also creates a notification, so the notifications are loaded again.
  const { mutateAsync, isPending } = useChange(PAYOUT_DETAILS, PORTAL_NOTIFICATIONS);
  const toast = useToast();
  const [changes, setChanges] = useState<Partial<DetailsDraft>>({});
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  /** Null until the API requires the password. */
  const [password, setPassword] = useState<string | null>(null);
  const draft: DetailsDraft = { ...draftOf(saved), ...changes };
  const onDeleted = () => {
    setChanges({});
    setChecked(false);
  };
  const [deleting, askToDelete] = useOverlay(loadDelete, { partnerId, onDeleted });
  const isDirty = JSON.stringify(draft) !== JSON.stringify(draftOf(saved));
  const guard = useLeaveGuard(isDirty, () => setChanges({}));
  const failed = failure && fieldOf(failure, draft);
  const code = failure instanceof ApiError ? failure.code : null;
  const isUnconfirmed = code === 'password_required' || code === 'password_wrong';
  const errors = {
    ...(isChecked && checkDraft(draft)),
    ...(failure && failed && { [failed]: failure.message }),
  };
  const change = (next: Partial<DetailsDraft>) => {
    setFailure(null);
    setChanges((before) => ({ ...before, ...next }));
  };
  const save = async () => {
    setChecked(true);
    setFailure(null);
    if (Object.keys(checkDraft(draft)).length > 0) return;
    try {
      const body = { ...bodyOf(draft, partnerId), ...(password && { password }) };
      await mutateAsync({ method: 'PUT', path: PAYOUT_DETAILS, body, stays: true });
      setChanges((now) => withoutSent(now, changes));
      setPassword(null);
      setChecked(false);
      toast(messages.saved);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
      if (error instanceof ApiError && error.code === 'password_required') setPassword('');
    }
  };
  return (
    <>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) void save();
        }}
      >
        <div class="grid">
          <section class="card" aria-labelledby="account">
            <h2 id="account">{messages.account}</h2>
            <div class="stack">
              <AccountFields draft={draft} errors={errors} onChange={change} />
            </div>
          </section>
          <section class="card" aria-labelledby="tax">
            <h2 id="tax">{messages.tax}</h2>
            <div class="stack">
              <TaxFields draft={draft} errors={errors} onChange={change} />
            </div>
          </section>
        </div>
        {password !== null && (
          <TextField
            label={messages.password}
            type="password"
            autocomplete="current-password"
            value={password}
            onInput={(value) => {
              setFailure(null);
              setPassword(value);
            }}
            error={code === 'password_wrong' ? messages.passwordWrong : null}
          />
        )}
        {failure && !failed && !isUnconfirmed && <ErrorNotice error={failure} />}
        <div class="row">
          <Button type="submit" kind="primary" busy={isPending} disabled={!isDirty}>
            {common.save}
          </Button>
          {saved !== null && <Button onClick={askToDelete}>{messages.remove}</Button>}
          <span class="quiet small">
            {saved === null ? messages.none : messages.changedOn(formatTime(saved.updated_at))}
          </span>
        </div>
        {guard}
      </form>
      {deleting}
    </>
  );
}
