import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import * as messages from '#messages/copy.ts';
import { Field } from './controls.tsx';
import { ResultDialog } from './result-dialog.tsx';

/** Shows a text that the browser did not copy. The text is selected, so that the user can copy it. */
export function CopyFailed({ text, onClose }: { text: string; onClose: () => void }): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  // The dialog opens in an effect of a child. Effects of children run first, so the dialog is already open.
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <ResultDialog title={messages.failed} onClose={onClose}>
      <p role="alert">{messages.refused}</p>
      <Field label={messages.text}>
        {(control) => <textarea {...control} ref={field} class="input" rows={4} readOnly value={text} />}
      </Field>
    </ResultDialog>
  );
}
