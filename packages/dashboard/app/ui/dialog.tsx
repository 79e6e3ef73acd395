import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import { Button } from './controls.tsx';
import { pinnedPage } from './guarded-location.tsx';
import { ErrorNotice } from './state.tsx';
import { DialogToasts, useToast } from './toast.tsx';

/**
 * A modal dialog. It is open while it is rendered. Escape and the close button call `onClose`, except while `busy`:
 * closing the dialog would not cancel its request, and would hide the result.
 */
export function Dialog({
  title,
  onClose,
  wide = false,
  busy = false,
  children,
}: {
  title: string;
  onClose: () => void;
  wide?: boolean;
  /** Whether a request of the dialog runs. */
  busy?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    ref.current?.showModal();
    // The browser moves the focus back only if the dialog is closed, not if it is removed. Wait until the dialog is
    // removed, because no element outside of a modal dialog accepts the focus.
    return () => queueMicrotask(() => opener?.focus({ preventScroll: true }));
  }, []);
  useEffect(() => {
    if (!busy) return;
    pinnedPage.url = location.href;
    return () => {
      pinnedPage.url = null;
    };
  }, [busy]);
  return (
    <dialog
      ref={ref}
      class={wide ? 'wide' : undefined}
      aria-labelledby={id}
      closedby={busy ? 'none' : undefined}
      // In browsers without `closedby`, `onCancel` keeps a busy dialog open. Older versions of Chromium close it at the
      // second Escape anyway, so `onClose` then opens it again.
      onCancel={(event) => busy && event.preventDefault()}
      onClose={() => (busy ? ref.current?.showModal() : onClose())}
    >
      <div class="stack">
        <div class="row apart tight">
          <h2 id={id}>{title}</h2>
          <Button
            kind="plain"
            icon="close"
            label={common.close}
            disabled={busy}
            onClick={() => ref.current?.close()}
          />
        </div>
        {children}
      </div>
      <DialogToasts />
    </dialog>
  );
}

/**
 * A form in a dialog. If `onSubmit` succeeds, the dialog closes. If it fails, the dialog shows the error. If the dialog
 * has already disappeared with the part of the page that opened it, a toast shows the error.
 */
export function FormDialog({
  title,
  submit,
  danger = false,
  wide = false,
  canSubmit = true,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  submit: string;
  danger?: boolean;
  wide?: boolean;
  canSubmit?: boolean;
  /** Returns false to keep the dialog open, for example when a field is not valid. */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const toast = useToast();
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      if ((await onSubmit()) !== false && isOpen.current) onClose();
    } catch (failure) {
      const shown = failure instanceof Error ? failure : new Error(String(failure));
      if (isOpen.current) setError(shown);
      else toast(shown.message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide} busy={isBusy}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (canSubmit && !isBusy) void save();
        }}
      >
        {children}
        {error && <ErrorNotice error={error} />}
        <div class="dialog-end">
          <Button disabled={isBusy} onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={isBusy} disabled={!canSubmit}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
