/** Path of the programs in the management API. */
export const API_PROGRAMS = '/api/advertiser/affiliate-programs';

/** Calls the API with JSON, and returns `data` of the reply. */
export type Api = <T>(
  method: string,
  path: string,
  body?: object,
  options?: { readonly token?: string; readonly headers?: Readonly<Record<string, string>> },
) => Promise<T>;
