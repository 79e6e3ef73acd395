import type { ComponentChildren, JSX } from 'preact';
import * as common from '#messages/common.ts';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';

/** A dialog that shows the result of a creation, such as a link to copy. */
export function ResultDialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="dialog-end">
        <Button kind="primary" onClick={onClose}>
          {common.done}
        </Button>
      </div>
    </Dialog>
  );
}
