import type { JSX } from 'preact';
import * as messages from '#messages/setup.tsx';
import type { ItemReply, ProgramSetup } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { API_PATH } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { ChoiceLinks } from '../../ui/choice-links.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { GuideView } from './guide-view.tsx';
import { SERVER_SNIPPETS, type ServerGuide } from './server-snippets.ts';
import { programTargetOf } from './snippets.ts';

const SERVER_CHOICES = Object.entries(messages.serverGuides).map(([value, { name }]) => ({
  value: value as ServerGuide,
  text: name,
}));

/** Explains how to report sign-ups, sales and refunds. The URL determines the kind of integration. */
export function ServerGuides(): JSX.Element {
  const { program } = useProgram();
  const [{ server = '' }] = useQueryState();
  const value = server in SERVER_SNIPPETS ? (server as ServerGuide) : 'node';
  const target = programTargetOf(location.origin, API_PATH, program);
  return (
    <div class="stack">
      <ChoiceLinks label={messages.server} parameter="server" choices={SERVER_CHOICES} value={value} />
      {value === 'stripe' && <WebhookAddress />}
      <GuideView guide={messages.serverGuides[value]} snippets={SERVER_SNIPPETS[value](target)} />
    </div>
  );
}

/** The webhook URL to enter at Stripe. It is known once the workspace has a connection. */
function WebhookAddress(): JSX.Element {
  const { api } = useProgram();
  const setup = useApi<ItemReply<ProgramSetup>>(`${api}/integration`);
  const webhook = setup.data?.data.webhook;
  if (!webhook) {
    return <p class="notice small">{messages.stripeMissing}</p>;
  }
  const path = `${API_PATH}/api/v1/webhooks/processor/${webhook.connection_id}`;
  return <CodeBlock title={messages.webhookAddress} code={location.origin + path} />;
}
