import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/ui.tsx';
import { ApiError, isForbidden } from '../api/client.ts';
import { Button } from './controls.tsx';

/** A placeholder with the same size as the final content. */
export function Skeleton({ width, height }: { width?: string; height?: string }): JSX.Element {
  return <span class="skeleton" style={{ ...(width && { width }), ...(height && { height }) }} />;
}

/** The message of an empty list, and a button or link for what the user can do next. */
export function Empty({
  children,
  action,
}: {
  children: ComponentChildren;
  action?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
    </div>
  );
}

/** Sends all failed requests again. */
export const RetryContext = createContext<() => void>(() => {});

/**
 * An error message with the request id. It has a retry button if a retry may help. The button also retries the failed
 * requests of the other parts of the page.
 */
export function ErrorNotice({ error, onRetry }: { error: Error; onRetry?: () => void }): JSX.Element {
  const retryAll = useContext(RetryContext);
  if (isForbidden(error)) return <Empty>{common.forbidden}</Empty>;
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div class="notice bad" role="alert">
      <span>{error.message}</span>
      {requestId !== null && <span class="quiet small">{messages.request(<code>{requestId}</code>)}</span>}
      {onRetry && (
        <Button
          onClick={() => {
            onRetry();
            retryAll();
          }}
        >
          {common.tryAgain}
        </Button>
      )}
    </div>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'info';

export function Badge({
  tone,
  children,
}: {
  tone?: Tone | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>;
}

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  approved: 'good',
  live: 'good',
  paid: 'good',
  draft: 'warn',
  invited: 'warn',
  rejected: 'bad',
  reversed: 'bad',
  banned: 'bad',
  refunded: 'bad',
  cancelled: 'bad',
};

const STATUS_TEXTS: Readonly<Record<string, string>> = common.statuses;

/** The text of a status from the API, such as `pending`, in a color that shows its meaning. */
export function Status({
  status,
  pending = 'warn',
}: {
  status: string;
  /** The color of the status `pending`. A pending commission, for example, needs no action. */
  pending?: Tone;
}): JSX.Element {
  return (
    <Badge tone={status === 'pending' ? pending : STATUS_TONES[status]}>
      {STATUS_TEXTS[status] ?? status}
    </Badge>
  );
}
