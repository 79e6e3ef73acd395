import type { Operation } from './document.ts';

/** A part of a command. `isBase` marks the part with the base URL of the server. */
export interface CurlPart {
  readonly text: string;
  readonly isBase: boolean;
}

/** The placeholder of each credential, by security scheme. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  trackingToken: 'aff_…',
  managementKey: 'affk_…',
  session: 'YOUR_SESSION_TOKEN',
};

/** Returns a curl command that calls the operation with the first example of its body. */
export function curlOf(method: string, path: string, operation: Operation): readonly CurlPart[] {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=…`)
    .join('&');
  const target = `${path.replaceAll(/\{(\w+)\}/g, (_segment, name: string) => sampleOf(name))}${query && `?${query}`}`;
  const [credential] = operation.security.flatMap((choice) => Object.keys(choice));
  const body = exampleBodyOf(operation);
  const verb =
    method === 'get' || (method === 'post' && body !== undefined) ? '' : `-X ${method.toUpperCase()} `;
  const options = [
    credential && `-H ${quote(`Authorization: Bearer ${PLACEHOLDERS[credential] ?? '…'}`)}`,
    body !== undefined && "-H 'Content-Type: application/json'",
    body !== undefined && `-d ${quote(body)}`,
  ].filter((option) => typeof option === 'string');
  return [
    { text: `curl ${verb}'`, isBase: false },
    { text: 'https://affkit.your-shop.example', isBase: true },
    { text: [`${target}'`, ...options].join(' \\\n  '), isBase: false },
  ];
}

function sampleOf(parameter: string): string {
  return /id$/i.test(parameter) ? '1' : `{${parameter}}`;
}

function exampleBodyOf(operation: Operation): string | undefined {
  const [example] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
  return example?.value === undefined ? undefined : JSON.stringify(example.value);
}

/** Quotes a word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
