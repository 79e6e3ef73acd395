import type { JSX } from 'preact';
import * as messages from '#messages/emails.tsx';
import type { Email, ListReply } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { EMAILS_PATH } from './kinds.ts';

const REFRESH_MS = 1_500;

/** Shows whether a test email is waiting, was sent, or failed. */
export function SentTest({ email }: { email: Email }): JSX.Element {
  const find = (list: ListReply<Email> | undefined) => list?.data.find(({ id }) => id === email.id) ?? email;
  const { data } = useApi<ListReply<Email>>(
    EMAILS_PATH,
    { workspace_id: email.workspace_id, kind: 'test', q: email.recipient },
    { refreshMs: ({ reply }) => (find(reply).status === 'queued' ? REFRESH_MS : false) },
  );
  const { status, error, recipient } = find(data);
  const reason = error ?? messages.noReason;
  if (status === 'sent') return <Note tone="good">{messages.testSent(recipient)}</Note>;
  if (status === 'failed') return <Note tone="bad">{messages.testFailed(reason)}</Note>;
  if (error !== null) return <Note tone="warn">{messages.testPostponed(reason)}</Note>;
  return <Note tone="">{messages.testWaits(recipient)}</Note>;
}

function Note({ tone, children }: { tone: string; children: string }): JSX.Element {
  return <output class={`notice ${tone}`}>{children}</output>;
}
