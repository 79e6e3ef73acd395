/** Test files that run only in Chromium, each with the reason. */
export const CHROMIUM_ONLY: Readonly<Record<string, string>> = {
  prerender: 'Only Chromium prerenders pages.',
};
