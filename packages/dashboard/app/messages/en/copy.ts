export const failed = 'Copying failed';
export const refused = 'The browser did not allow the page to copy. Copy the selected text yourself.';
export const text = 'Text to copy';
