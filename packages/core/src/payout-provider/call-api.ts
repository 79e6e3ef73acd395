/** The fields of a JSON object that was not validated. */
export type Json = Readonly<Record<string, unknown>>;

export interface ApiReply {
  readonly status: number;
  /** Empty when the body is not a JSON object. */
  readonly json: Json;
}

/** Calls an API that replies with JSON. @throws when the API cannot be reached, or replies with a redirect */
export async function callApi(url: string, init: RequestInit): Promise<ApiReply> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  const text = await response.text();
  return { status: response.status, json: parseObject(text) ?? {} };
}

/** @returns null when the text is not a JSON object */
export function parseObject(text: string): Json | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

export function asObject(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

/** Returns the objects in a list, or an empty list for any other value. */
export function asObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject).filter((item) => item !== null) : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
