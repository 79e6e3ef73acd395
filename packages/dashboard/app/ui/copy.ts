/** Copies a text. On plain http, browsers have no clipboard API, so a selection is copied. */
export async function copyText(text: string): Promise<void> {
  // The types claim that it always exists.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard) {
    await clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  const focused = document.activeElement;
  // Nothing outside of an open dialog can be selected.
  const dialogs = document.querySelectorAll('dialog:modal');
  (dialogs[dialogs.length - 1] ?? document.body).append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
}
