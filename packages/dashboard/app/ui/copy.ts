/** Copies a text. Browsers have no clipboard API on plain http, so a selection is copied there. */
export async function copyText(text: string): Promise<void> {
  // According to its type, the API always exists, but on plain http it does not.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard) {
    await clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  const focused = document.activeElement;
  // While a modal dialog is open, nothing outside of it can be selected.
  const dialogs = document.querySelectorAll('dialog:modal');
  (dialogs[dialogs.length - 1] ?? document.body).append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
}
