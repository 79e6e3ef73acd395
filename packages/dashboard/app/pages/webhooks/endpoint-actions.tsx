import { useQueryClient } from '@tanstack/preact-query';
import type { FunctionComponent, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/webhooks.tsx';
import { send } from '../../api/client.ts';
import type { ItemReply, WebhookEndpoint, WebhookEndpointWithSecret } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { pageUrl } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { usePageOverlay } from '../../ui/page-overlay.tsx';
import { useToast } from '../../ui/toast.tsx';
import { EndpointDialog, SecretDialog } from './endpoint-dialog.tsx';

interface StepProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

/** The actions on an endpoint. Pausing it can be undone. */
export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }): JSX.Element {
  const { api, page } = useProgram();
  const { route } = useLocation();
  const path = `${api}/webhook-endpoints`;
  const { mutateAsync } = useChange<ItemReply<{ delivery_id: number }>>(path);
  const toast = useToast();
  const overlay = usePageOverlay();
  const { id, url, status } = endpoint;
  const { host } = new URL(url);
  const post = async (action: 'pause' | 'resume' | 'test') => {
    try {
      return await mutateAsync({ method: 'POST', path: `${path}/${id}/${action}` });
    } catch (error) {
      toast(error instanceof Error ? error.message : common.changeFailed);
      return null;
    }
  };
  const pause = async () => {
    const undo = { text: common.undo, run: () => void resume() };
    if (await post('pause')) toast(messages.isPaused(host), undo);
  };
  const resume = async () => {
    if (await post('resume')) toast(messages.isResumed(host));
  };
  const sendTest = async () => {
    const sent = await post('test');
    if (!sent) return;
    const delivery = pageUrl(`${page}/webhooks/${id}?delivery=${sent.data.delivery_id}`);
    toast(messages.testQueued, { text: messages.openDelivery, run: () => route(delivery) });
  };
  const open = (Step: FunctionComponent<StepProps>) =>
    overlay.open((onClose) => <Step endpoint={endpoint} onClose={onClose} />);
  return (
    <ActionMenu
      label={common.actionsFor(host)}
      actions={[
        { text: messages.edit, run: () => open(EndpointDialog) },
        { text: messages.sendTest, run: () => void sendTest() },
        status === 'paused' || status === 'gone'
          ? { text: messages.resume, run: () => void resume() }
          : { text: messages.pause, run: () => void pause() },
        { text: messages.rotate, run: () => open(ReplaceSecret) },
        { text: messages.remove, danger: true, run: () => open(DeleteEndpoint) },
      ]}
    />
  );
}

function ReplaceSecret({ endpoint: { id }, onClose }: StepProps): JSX.Element {
  const path = `${useProgram().api}/webhook-endpoints`;
  const { mutateAsync } = useChange<ItemReply<WebhookEndpointWithSecret>>(path);
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;
  const rotate = async () => {
    const change = { path: `${path}/${id}/rotate-secret`, ifLost: messages.rotateLost };
    setSecret((await mutateAsync({ method: 'POST', ...change })).data.secret);
    return false;
  };
  return (
    <FormDialog
      title={messages.rotateTitle}
      submit={messages.rotateSubmit}
      onSubmit={rotate}
      onClose={onClose}
    >
      <p>{messages.rotateWarning}</p>
    </FormDialog>
  );
}

function DeleteEndpoint({ endpoint: { id, url }, onClose }: StepProps): JSX.Element {
  const { api, page } = useProgram();
  const path = `${api}/webhook-endpoints`;
  const client = useQueryClient();
  const { route } = useLocation();
  const toast = useToast();
  const { host } = new URL(url);
  const remove = async () => {
    await send('DELETE', `${path}/${id}`);
    toast(messages.removed(host));
    // Leave the page of the endpoint. Only the list is read again, because the endpoint no longer exists.
    route(pageUrl(`${page}/webhooks`));
    void client.invalidateQueries({ queryKey: [path] });
  };
  return (
    <FormDialog
      title={messages.removeTitle(host)}
      submit={messages.removeSubmit}
      danger
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{messages.removeWarning}</p>
    </FormDialog>
  );
}
