import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/processor.tsx';
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

/**
 * A connection and the state of its webhooks. Until the first webhook arrives, it shows the remaining setup
 * steps.
 */
export function ConnectionCard({
  connection,
  webhook,
}: {
  connection: ProcessorConnection;
  /** The webhook state that the API returns, or null if it belongs to another connection. */
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
          <h2 id={`connection-${connection.id}`}>{messages.stripe}</h2>
          {isPending ? (
            <Badge tone="warn">{messages.waiting}</Badge>
          ) : (
            <Badge tone="good">{messages.connected}</Badge>
          )}
        </div>
        <div class="row">
          <Button onClick={() => setStep('change')}>{messages.edit}</Button>
          <Button kind="plain" onClick={() => setStep('disconnect')}>
            {messages.disconnect}
          </Button>
        </div>
      </div>
      <dl class="facts">
        <dt>{messages.account}</dt>
        <dd>
          <code>{account_id}</code>
        </dd>
        <dt>{messages.mode}</dt>
        <dd>
          {mode === 'test'
            ? messages.testMode
            : record_test_events
              ? messages.liveModeWithTests
              : messages.liveMode}
        </dd>
        <dt>{messages.latestWebhook}</dt>
        <dd>
          <LatestWebhook webhook={webhook} />
        </dd>
        {!isPending && (
          <>
            <dt>{messages.firstWebhook}</dt>
            <dd>
              <Time at={connection.connected_at} />
            </dd>
          </>
        )}
        {isSecretReplaced && (
          <>
            <dt>{messages.oldSecret}</dt>
            <dd>{messages.worksUntil(<Time at={previous_secret_until} />)}</dd>
          </>
        )}
      </dl>
      <CopyText
        label={isPending ? messages.setAddress : messages.webhookAddress}
        text={location.origin + apiUrl(webhook_path)}
      />
      <details open={isPending}>
        <summary>{isPending ? messages.selectEvents : messages.events}</summary>
        <StripeEvents />
      </details>
      <details open={isPending}>
        <summary>{isPending ? messages.setMetadata : messages.metadata}</summary>
        <StripeMetadata programId={programs.length === 1 ? programs[0]?.id : undefined} />
      </details>
      {step === 'change' && <ConnectionDialog connection={connection} onClose={() => setStep(null)} />}
      {step === 'disconnect' && <Disconnect connection={connection} onClose={() => setStep(null)} />}
    </section>
  );
}

function LatestWebhook({ webhook }: { webhook: WebhookState }): JSX.Element {
  if (!webhook || webhook.last_at === null) return <span class="quiet">{messages.noWebhook}</span>;
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
      title={messages.disconnectTitle}
      submit={messages.disconnect}
      danger
      onSubmit={() => mutateAsync({ method: 'DELETE', path: `${CONNECTIONS_PATH}/${id}` })}
      onClose={onClose}
    >
      <p>{messages.disconnectWarning}</p>
    </FormDialog>
  );
}
