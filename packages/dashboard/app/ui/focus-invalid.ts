/** Focuses the first field that is not valid, as soon as the form marks it. */
export function focusInvalid(form: HTMLFormElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
