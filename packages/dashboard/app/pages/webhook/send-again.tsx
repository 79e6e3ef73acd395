import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/webhooks.tsx';
import type { WebhookDelivery } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../ui/controls.tsx';
import { useToast } from '../../ui/toast.tsx';

/**
 * A button that sends a webhook again, without waiting for the next attempt. Hidden until the first attempt.
 */
export function SendAgain({
  path,
  delivery: { id, attempts, event_type },
  isPlain = false,
}: {
  /** Path of the endpoint in the API. */
  path: string;
  delivery: WebhookDelivery;
  /** Whether the button is less prominent, because there are several. */
  isPlain?: boolean;
}): JSX.Element | null {
  const { mutateAsync, isPending } = useChange(path);
  const toast = useToast();
  if (attempts === 0) return null;
  const replay = async () => {
    try {
      await mutateAsync({ method: 'POST', path: `${path}/deliveries/${id}/replay` });
      toast(messages.isSentAgain(event_type));
    } catch (error) {
      toast(error instanceof Error ? error.message : common.changeFailed);
    }
  };
  return (
    <Button {...(isPlain && { kind: 'plain' })} busy={isPending} onClick={() => void replay()}>
      {messages.sendAgain}
    </Button>
  );
}
