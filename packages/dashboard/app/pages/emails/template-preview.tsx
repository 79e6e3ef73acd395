import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/emails.tsx';
import { apiUrl } from '../../api/client.ts';
import type { Email, EmailTemplates, ItemReply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Button, Segments } from '../../ui/controls.tsx';
import { Badge, ErrorNotice } from '../../ui/state.tsx';
import { EMAILS_PATH } from './kinds.ts';
import { SentTest } from './sent-test.tsx';

const FORMATS = [
  { value: 'html', text: messages.formats.html },
  { value: 'text', text: messages.formats.text },
] as const;

/** A template as its recipient sees it, with a button that sends it to the signed-in user. */
export function TemplatePreview({
  programId,
  path,
  content: { template, is_transactional: isTransactional, from, subject, text },
  canSend,
}: {
  programId: number;
  /** Path of the templates in the API. */
  path: string;
  content: EmailTemplates['data'][number];
  canSend: boolean;
}): JSX.Element {
  const [format, setFormat] = useState<'html' | 'text'>('html');
  const { mutate, data: sent, error, isPending } = useChange<ItemReply<Email>>(EMAILS_PATH);
  const { name, when } = messages.kinds[template];
  const send = () => {
    const body = { program_id: programId, template };
    mutate({ method: 'POST', path: `${EMAILS_PATH}/test`, body });
  };
  return (
    <section class="card flush" aria-labelledby="template">
      <div class="stack mail-head">
        <div class="row apart">
          <h2 id="template">{name}</h2>
          <span title={isTransactional ? messages.alwaysSentHint : messages.canBeTurnedOffHint}>
            <Badge tone={isTransactional ? undefined : 'info'}>
              {isTransactional ? messages.alwaysSent : messages.canBeTurnedOff}
            </Badge>
          </span>
        </div>
        <p class="quiet">{when}</p>
        <dl class="facts">
          <dt>{messages.from}</dt>
          <dd>
            <bdi>{from.name}</bdi>{' '}
            {from.address !== null && <span class="quiet">{messages.senderAddress(from.address)}</span>}
          </dd>
          <dt>{messages.subject}</dt>
          <dd>
            <strong>{subject}</strong>
          </dd>
        </dl>
        <div class="row apart">
          <Segments label={messages.format} value={format} choices={FORMATS} onChange={setFormat} />
          <Button kind="primary" busy={isPending} disabled={!canSend} onClick={send}>
            {messages.sendTest}
          </Button>
        </div>
        {error && <ErrorNotice error={error} />}
        {sent && !isPending && <SentTest key={sent.data.id} email={sent.data} />}
      </div>
      {format === 'html' ? (
        <iframe
          class="mail"
          title={messages.previewOf(name)}
          sandbox=""
          src={apiUrl(`${path}/preview`, { template })}
        />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: axe requires that scrollable regions take the focus.
        <pre class="mail code" tabIndex={0}>
          {text}
        </pre>
      )}
      <p class="table-end">{messages.examples}</p>
    </section>
  );
}
