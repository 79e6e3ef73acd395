import { createServer } from 'node:http';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

/** A token that the service accepts once. */
export const SOLVED = 'SOLVED-TOKEN';

const SECRET_KEY = 'captcha-secret-key';
const WIDGET_FIELDS = { 'cf-turnstile': 'cf-turnstile-response', 'h-captcha': 'h-captcha-response' };

/** Adds the widget to the page. After a click in the widget, the widget adds the token to the form. */
const SCRIPT = `for (const [name, field] of Object.entries(${JSON.stringify(WIDGET_FIELDS)})) {
  for (const element of document.getElementsByClassName(name)) {
    const frame = document.createElement('iframe');
    frame.title = 'Captcha';
    frame.src = new URL('widget', document.currentScript.src);
    addEventListener('message', ({ data, source }) => {
      if (source !== frame.contentWindow) return;
      const input = document.createElement('input');
      Object.assign(input, { type: 'hidden', name: field, value: data });
      element.append(input);
    });
    element.append(frame);
  }
}`;
const WIDGET = `<!doctype html><html lang="en"><title>Captcha</title><main><h1>Captcha</h1><button>I am human</button></main>
<script>document.querySelector('button').onclick = () => {
  parent.postMessage('${SOLVED}', '*');
  document.querySelector('button').textContent = 'Solved';
}</script></html>`;

export interface CaptchaServiceStub {
  readonly url: string;
  readonly options: {
    readonly siteKey: string;
    readonly secretKey: string;
    readonly scriptUrl: string;
    readonly verifyUrl: string;
  };
  /** The fields of each verification request. */
  readonly verifications: Readonly<Record<string, string>>[];
  /** Replaces all further verification replies, to simulate failures. Null restores the documented behavior. */
  respondWith(reply: { readonly status: number; readonly body: string } | 'never' | null): void;
  /** Makes the solved token valid again. */
  renew(): void;
  close(): Promise<void>;
}

/** Starts a service with the widget and the `siteverify` API that Turnstile and hCaptcha document. */
export async function openCaptchaService(): Promise<CaptchaServiceStub> {
  const verifications: Record<string, string>[] = [];
  let replacement: Parameters<CaptchaServiceStub['respondWith']>[0] = null;
  let isUsed = false;
  const verify = (fields: Readonly<Record<string, string>>): object => {
    if (fields['secret'] !== SECRET_KEY) return { success: false, 'error-codes': ['invalid-input-secret'] };
    if (fields['response'] !== SOLVED) return { success: false, 'error-codes': ['invalid-input-response'] };
    if (isUsed) return { success: false, 'error-codes': ['timeout-or-duplicate'] };
    isUsed = true;
    return { success: true, 'error-codes': [], hostname: '127.0.0.1' };
  };
  const server = createServer(async (request, response) => {
    if (request.url === '/siteverify') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      verifications.push(fields);
      if (replacement === 'never') return;
      response.statusCode = replacement?.status ?? 200;
      response.end(replacement?.body ?? JSON.stringify(verify(fields)));
      return;
    }
    const isScript = request.url === '/api.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.setHeader('cross-origin-resource-policy', 'cross-origin');
    response.end(isScript ? SCRIPT : WIDGET);
  });
  const url = await listenOnLoopback(server);
  return {
    url,
    verifications,
    options: {
      siteKey: 'site-key',
      secretKey: SECRET_KEY,
      scriptUrl: `${url}/api.js`,
      verifyUrl: `${url}/siteverify`,
    },
    respondWith: (reply) => {
      replacement = reply;
    },
    renew: () => {
      isUsed = false;
    },
    close: () => closeServer(server),
  };
}
