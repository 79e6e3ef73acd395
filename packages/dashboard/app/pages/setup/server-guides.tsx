import type { JSX } from 'preact';
import type { ItemReply, ProgramSetup } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { API_PATH } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { ChoiceLinks } from '../../ui/choice-links.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { GuideView } from './guide-view.tsx';
import { SERVER_GUIDES, type ServerGuide, targetOf } from './snippets.ts';

const CHOICES = Object.entries(SERVER_GUIDES).map(([value, { text }]) => ({
  value: value as ServerGuide,
  text,
}));

/** How to report sign-ups, sales and refunds, in the way that the URL names. */
export function ServerGuides(): JSX.Element {
  const { program } = useProgram();
  const [{ server = '' }] = useQueryState();
  const value = server in SERVER_GUIDES ? (server as ServerGuide) : 'node';
  const target = targetOf(location.origin, API_PATH, program.id);
  return (
    <div class="stack">
      <ChoiceLinks label="Your server" parameter="server" choices={CHOICES} value={value} />
      {value === 'stripe' && <WebhookAddress />}
      <GuideView guide={SERVER_GUIDES[value].guide(target)} />
    </div>
  );
}

/** The address to enter at Stripe, once the workspace has a connection. */
function WebhookAddress(): JSX.Element {
  const { api } = useProgram();
  const setup = useApi<ItemReply<ProgramSetup>>(`${api}/integration`);
  const webhook = setup.data?.data.webhook;
  if (!webhook) {
    return (
      <p class="notice small">
        Stripe is not connected to this workspace yet. An owner or admin connects it in the settings.
      </p>
    );
  }
  const path = `${API_PATH}/api/v1/webhooks/processor/${webhook.connection_id}`;
  return <CodeBlock title="Webhook address" code={location.origin + path} />;
}
