/**
 * Returns the file that the user has chosen, and empties the field. Browsers report no change if a user chooses the
 * file that the field already contains, even if the file has been corrected in the meantime.
 */
export function takeFile(field: HTMLInputElement): File | undefined {
  const file = field.files?.[0];
  field.value = '';
  return file;
}
