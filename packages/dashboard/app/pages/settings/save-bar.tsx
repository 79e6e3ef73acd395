import type { ComponentChildren, JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/settings.tsx';
import { Button } from '../../ui/controls.tsx';

/**
 * Floats at the end of a form with unsaved changes, with buttons to save or discard them.
 * @param summary what is unsaved
 * @param children the errors of the last save
 */
export function SaveBar({
  summary,
  isBusy,
  onDiscard,
  children,
}: {
  summary: ComponentChildren;
  isBusy: boolean;
  onDiscard: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="save-bar" aria-label={messages.unsaved}>
      {summary}
      <div class="row">
        <Button onClick={onDiscard}>{messages.discard}</Button>
        <Button type="submit" kind="primary" busy={isBusy}>
          {common.save}
        </Button>
      </div>
      {children}
    </section>
  );
}
