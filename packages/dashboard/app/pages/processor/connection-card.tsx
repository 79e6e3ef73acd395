import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { apiUrl } from '../../api/client.ts';
import type { ProcessorConnection, ProgramSetup } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useWorkspace } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Badge } from '../../ui/state.tsx';
import { Time } from '../../ui/values.tsx';
import { ConnectionDialog } from './connection-dialog.tsx';
import { CONNECTIONS_PATH } from './connections-path.ts';
import { describeOutcome } from './outcomes.ts';
import { StripeEvents, StripeMetadata } from './stripe-guide.tsx';

export type WebhookState = ProgramSetup['webhook'];

/** A connection with the state of its webhooks. Until the first one, it shows what is left to do. */
export function ConnectionCard({
  connection,
  webhook,
}: {
  connection: ProcessorConnection;
  /** The latest webhook, if this is the connection that the API reports on. */
  webhook: WebhookState;
}): JSX.Element {
  const { programs } = useWorkspace();
  const [step, setStep] = useState<'change' | 'disconnect' | null>(null);
  const { account_id, mode, status, record_test_events, previous_secret_until, webhook_path } = connection;
  const isPending = status === 'pending';
  const isSecretReplaced = previous_secret_until !== null && Date.parse(previous_secret_until) > Date.now();
  return (
    <section class="card stack" aria-labelledby={`connection-${connection.id}`}>
      <div class="row apart">
        <div class="row">
          <h2 id={`connection-${connection.id}`}>Stripe</h2>
          {isPending ? (
            <Badge tone="warn">Waiting for the first webhook</Badge>
          ) : (
            <Badge tone="good">Connected</Badge>
          )}
          {mode === 'test' && <Badge tone="info">Test mode</Badge>}
        </div>
        <div class="row">
          <Button onClick={() => setStep('change')}>Change</Button>
          <Button kind="plain" onClick={() => setStep('disconnect')}>
            Disconnect
          </Button>
        </div>
      </div>
      <dl class="facts">
        <dt>Account</dt>
        <dd>
          <code>{account_id}</code>
        </dd>
        <dt>Mode</dt>
        <dd>
          {mode === 'test' ? 'Test mode' : 'Live mode'}
          {record_test_events && ', test payments are recorded as test sales'}
        </dd>
        <dt>Latest webhook</dt>
        <dd>
          <LatestWebhook webhook={webhook} />
        </dd>
        {!isPending && (
          <>
            <dt>First webhook</dt>
            <dd>
              <Time at={connection.connected_at} />
            </dd>
          </>
        )}
        {isSecretReplaced && (
          <>
            <dt>Old secret</dt>
            <dd>
              works until <Time at={previous_secret_until} />
            </dd>
          </>
        )}
      </dl>
      <CopyText
        label={isPending ? '1. Set this address on the endpoint at Stripe' : 'Webhook address'}
        text={location.origin + apiUrl(webhook_path)}
      />
      <details open={isPending}>
        <summary>{isPending && '2. '}Select these events at Stripe</summary>
        <StripeEvents />
      </details>
      <details open={isPending}>
        <summary>{isPending && '3. '}Name the customer in each payment</summary>
        <StripeMetadata programId={programs.length === 1 ? programs[0]?.id : undefined} />
      </details>
      {step === 'change' && <ConnectionDialog connection={connection} onClose={() => setStep(null)} />}
      {step === 'disconnect' && <Disconnect connection={connection} onClose={() => setStep(null)} />}
    </section>
  );
}

function LatestWebhook({ webhook }: { webhook: WebhookState }): JSX.Element {
  if (!webhook || webhook.last_at === null) return <span class="quiet">None yet</span>;
  const { last_at, last_type, last_outcome, last_reason } = webhook;
  const described = last_outcome === null ? null : describeOutcome(last_outcome, last_reason);
  return (
    <>
      <span class="row">
        {described && <Badge tone={described.tone}>{described.text}</Badge>}
        <Time at={last_at} />
      </span>
      <span class="sub">
        {last_type !== null && <code>{last_type}</code>}
        {last_reason !== null && (
          <>
            {' · '}
            <code>{last_reason}</code>
          </>
        )}
      </span>
      {described?.next && <p>{described.next}</p>}
    </>
  );
}

function Disconnect({
  connection: { id },
  onClose,
}: {
  connection: ProcessorConnection;
  onClose: () => void;
}): JSX.Element {
  const { mutateAsync } = useChange(CONNECTIONS_PATH, '/api/advertiser/affiliate-programs');
  return (
    <FormDialog
      title="Disconnect Stripe?"
      submit="Disconnect"
      danger
      onSubmit={() => mutateAsync({ method: 'DELETE', path: `${CONNECTIONS_PATH}/${id}` })}
      onClose={onClose}
    >
      <p>
        Payments, renewals, refunds, and disputes no longer arrive from Stripe. This cannot be undone: to
        connect again, you need a new webhook address. What is recorded stays.
      </p>
    </FormDialog>
  );
}
