/**
 * Copies a text. Browsers have no clipboard API on plain http, and can deny its use. In both cases, the text
 * is selected in a hidden field and copied from there.
 * @returns whether the text was copied
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    // On plain http, this throws, because the API does not exist there.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  const focused = document.activeElement;
  // While a modal dialog is open, nothing outside of it can be selected.
  [document.body, ...document.querySelectorAll('dialog:modal')].at(-1)?.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
