import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCaptcha } from '../../src/captcha/captcha.ts';
import { type CaptchaServiceStub, openCaptchaService, SOLVED } from '../support/captcha-service.ts';
import { memoryKinds } from '../support/engine-kinds.ts';
import { openWorld, type World } from '../support/management-world.ts';

const [open] = Object.values(memoryKinds);
if (!open) throw new Error('No engine');
const openMemory = open;
const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>';

let world: World;
let page: string;
let token: string;

beforeAll(async () => {
  world = await openWorld(openMemory);
  const owner = await world.owner();
  const created = await world.call<{ data: { id: number } }>('POST', '/api/advertiser/affiliate-programs', {
    token: owner.token,
    body: {
      name: HOSTILE,
      slug: 'tea',
      site_url: 'https://shop.example/',
      hold_days: 30,
      commission: { type: 'flat', amount_cents: 1_500 },
    },
  });
  token = owner.token;
  page = `/api/advertiser/affiliate-programs/${created.body.data.id}/page`;
  await change({
    published: true,
    description: `First\nline\n\n${HOSTILE}`,
    terms: HOSTILE,
    accent_color: '#ffffff',
    questions: [
      { id: 'about', label: HOSTILE, type: 'long_text', required: true },
      { id: 'size', label: 'Readers', type: 'choice', options: ['few', HOSTILE] },
      { id: 'adult', label: 'I am an adult', type: 'checkbox', required: true },
    ],
    invitation_codes: ['SPRING'],
  });
});
afterAll(() => world.close());

const change = (settings: object) => world.call('PUT', page, { token, body: settings });

/** Sends a request with the `accept` header of a browser, so that errors are returned as pages too. */
async function browse(
  method: 'GET' | 'POST',
  target: string,
  fields?: Readonly<Record<string, string>>,
  of: World = world,
) {
  const url = new URL(target, 'https://affkit.test');
  const bytes = new TextEncoder().encode(new URLSearchParams(fields).toString());
  const reply = await of.affkit.handle({
    method,
    path: url.pathname,
    query: url.searchParams,
    header: (name) => (name === 'accept' ? 'text/html,*/*;q=0.8' : undefined),
    body: async () => bytes,
    ip: '203.0.113.9',
    secure: true,
  });
  return { status: reply?.status, headers: reply?.headers, text: String(reply?.body) };
}

const tokenIn = (text: string) => /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';

test('shows the offer and the form without any script, and with all texts escaped', async () => {
  const { status, headers, text } = await browse('GET', '/p/tea?code=SPRING&utm_source=mail');
  expect(status).toBe(200);
  expect(text).toContain(
    'You earn $15.00 for each sale. Each renewal of a subscription earns a commission too.',
  );
  expect(text).toContain('<p>First<br>line</p>');
  expect(text).toContain('30 days');
  expect(text).toContain('value="SPRING"');
  expect(text).not.toMatch(/<script|<img src=x|javascript:/i);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; connect-src 'self'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    ),
  });
  const hostileCode = await browse('GET', `/p/tea?code=${encodeURIComponent(HOSTILE)}`);
  expect(hostileCode.text).not.toMatch(/<script|<img src=x/i);
});

test('describes the program for search results, and omits the description for an unknown program', async () => {
  const described = /<meta (?:name|property)="(?:og:)?description" content="([^"]*)">/g;
  const { text } = await browse('GET', '/p/tea');
  const descriptions = [...text.matchAll(described)].map(([, content]) => content);
  expect(descriptions).toHaveLength(2);
  for (const description of descriptions) {
    expect(description).toMatch(/^You earn \$15\.00 for each sale\. .* First line$/);
  }
  expect((await browse('GET', '/p/none')).text).not.toMatch(described);
});

test('may be shown in an iframe only by the origins of the program', async () => {
  await change({ embed_origins: ['https://blog.example', 'http://localhost:4000'] });
  const policy = (await browse('GET', '/p/tea')).headers?.['content-security-policy'];
  expect(policy).toMatch(/frame-ancestors https:\/\/blog\.example http:\/\/localhost:4000$/);
  await change({ embed_origins: [] });
});

test('accepts a valid form, and shows an invalid one again with its values and the error', async () => {
  const form_token = tokenIn((await browse('GET', '/p/tea')).text);
  const fields = {
    form_token,
    name: 'Pat',
    email: 'pat@blog.example',
    'answer.about': 'Line 1\r\nLine 2',
    'answer.size': '',
    'answer.adult': 'yes',
    invitation_code: '',
    homepage: '',
  };
  const early = await browse('POST', '/p/tea', { ...fields, terms_accepted: 'yes' });
  expect(early).toMatchObject({ status: 429, headers: { 'retry-after': '3' } });
  world.clock.now += 5_000;
  const refused = await browse('POST', '/p/tea', { ...fields, name: HOSTILE });
  expect(refused.status).toBe(400);
  expect(refused.text).toMatch(
    /role="alert"[^>]*><strong>Your application was not sent.<\/strong> terms_accepted/,
  );
  expect(refused.text).toContain('value="pat@blog.example"');
  expect(refused.text).toContain('Line 1\nLine 2</textarea>');
  expect(refused.text).not.toMatch(/<script|<img src=x/i);
  expect(tokenIn(refused.text)).toBe(form_token);
  const received = await browse('POST', '/p/tea', { ...fields, terms_accepted: 'yes' });
  expect(received.status).toBe(200);
  expect(received.text).toContain('Your application was received');
  const { rows } = { rows: await world.engine.read.selectFrom('applications').selectAll().execute() };
  expect(rows.map(({ answers }) => JSON.parse(answers) as unknown)).toEqual([
    [
      { question: 'about', label: HOSTILE, type: 'long_text', answer: 'Line 1\nLine 2' },
      { question: 'adult', label: 'I am an adult', type: 'checkbox', answer: 'yes' },
    ],
  ]);
});

describe.each([
  { service: 'turnstile', field: 'cf-turnstile-response', widget: 'class="field cf-turnstile"' },
  { service: 'hcaptcha', field: 'h-captcha-response', widget: 'class="field h-captcha"' },
] as const)('with the captcha $service', ({ service, field, widget }) => {
  const warnings: string[] = [];
  let stub: CaptchaServiceStub;
  let guarded: World;
  let form: Readonly<Record<string, string>>;

  beforeAll(async () => {
    stub = await openCaptchaService();
    const warn = (_fields: object, message: string) => void warnings.push(message);
    guarded = await openWorld(openMemory, {
      captcha: { service, ...stub.options },
      logger: { info: () => {}, warn, error: () => {} },
    });
    const { token: session } = await guarded.owner();
    const call = (method: string, path: string, body: object) =>
      guarded.call<{ data: { id: number } }>(method, path, { token: session, body });
    const created = await call('POST', '/api/advertiser/affiliate-programs', {
      name: 'Tea',
      slug: 'tea',
      site_url: 'https://shop.example/',
      commission: { type: 'percent', rate: 20 },
    });
    const path = `/api/advertiser/affiliate-programs/${created.body.data.id}/page`;
    await call('PUT', path, { published: true });
    const form_token = tokenIn((await browse('GET', '/p/tea', {}, guarded)).text);
    guarded.clock.now += 5_000;
    form = { form_token, name: 'Pat', email: 'pat@blog.example' };
  });
  afterAll(async () => {
    await guarded.close();
    await stub.close();
  });

  const send = (fields: Readonly<Record<string, string>>) =>
    browse('POST', '/p/tea', { ...form, ...fields }, guarded);
  const countApplications = async () =>
    (await guarded.engine.read.selectFrom('applications').selectAll().execute()).length;

  test('shows the captcha, and allows scripts and frames only from its origins', async () => {
    const { headers, text } = await browse('GET', '/p/tea', {}, guarded);
    const { origin } = new URL(stub.url);
    const policy = headers?.['content-security-policy'];
    expect(policy).toContain(`script-src ${origin} https://`);
    expect(policy).toContain(`frame-src ${origin} https://`);
    expect(policy).not.toContain('unsafe-inline');
    expect(headers).toMatchObject({ 'referrer-policy': 'strict-origin' });
    expect(text).toContain(`${widget} data-sitekey="site-key"`);
    expect(text).toContain(`<script src="${stub.url}/api.js" async defer></script>`);
    expect(text).toContain('turn on JavaScript');
    expect(text).not.toContain(stub.options.secretKey);
    expect(await guarded.call('GET', '/api/v1/programs/tea')).toMatchObject({
      body: { data: { captcha: { service, site_key: 'site-key' } } },
    });
    const received = (await browse('GET', '/p/none', {}, guarded)).headers;
    expect(received?.['content-security-policy']).not.toContain('script-src');
  });

  test('rejects an application without a solved captcha, from the form and from the API', async () => {
    expect(await send({})).toMatchObject({
      status: 400,
      text: expect.stringContaining('The captcha requires JavaScript'),
    });
    expect(stub.verifications).toEqual([]);
    expect(await send({ [field]: 'FORGED' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('Solve it again'),
    });
    expect(await guarded.call('POST', '/api/v1/programs/tea/applications', { body: form })).toMatchObject({
      status: 400,
      body: { code: 'application_not_verified' },
    });
    expect(await countApplications()).toBe(0);
    expect(warnings).toEqual([]);
  });

  test('rejects every application while the service cannot check tokens, and warns', async () => {
    const invalidSecret = { success: false, 'error-codes': ['invalid-input-secret'] };
    for (const reply of [
      { status: 200, body: JSON.stringify(invalidSecret) },
      { status: 500, body: JSON.stringify({ success: true }) },
      { status: 200, body: '<html>' },
      { status: 200, body: '{}' },
    ]) {
      stub.respondWith(reply);
      expect(await send({ [field]: SOLVED })).toMatchObject({
        status: 503,
        headers: { 'retry-after': '60' },
        text: expect.stringContaining('The captcha could not be checked. Try again in a minute.'),
      });
    }
    stub.respondWith('never');
    const slow = createCaptcha({ service, ...stub.options }, () => {}, 20);
    // Use a token other than `SOLVED`. The stub may process this request later, when it responds again, and each
    // token is accepted only once.
    expect(await slow.check('LATE')).toBe('unavailable');
    const closed = createCaptcha({ service, ...stub.options, verifyUrl: 'http://127.0.0.1:1/' }, () => {});
    expect(await closed.check(SOLVED)).toBe('unavailable');
    stub.respondWith(null);
    expect(await countApplications()).toBe(0);
    expect(warnings).toEqual([expect.stringContaining('captcha solutions cannot be checked')]);
  });

  test('accepts an application with a solved captcha, but accepts its token only once', async () => {
    expect((await send({ [field]: SOLVED })).text).toContain('Your application was received');
    expect(await countApplications()).toBe(1);
    expect(stub.verifications.at(-1)).toEqual({
      secret: stub.options.secretKey,
      response: SOLVED,
      ...(service === 'hcaptcha' && { sitekey: 'site-key' }),
    });
    expect((await send({ [field]: SOLVED, email: 'sam@blog.example' })).text).toContain('Solve it again');
    expect(await countApplications()).toBe(1);
  });
});

test('an unknown slug gets a page in a browser, and JSON elsewhere', async () => {
  const missing = await browse('GET', '/p/no-such-program');
  expect(missing).toMatchObject({ status: 404, text: expect.stringContaining('This page does not exist') });
  expect((await browse('POST', '/p/no-such-program')).status).toBe(404);
  expect(await world.call('GET', '/p/no-such-program')).toMatchObject({
    status: 404,
    body: { code: 'program_not_found' },
  });
  expect((await browse('GET', `/p/${'%00'}`)).status).toBe(404);
});

test('has no route when programPages is false', async () => {
  const hidden = await openWorld(openMemory, { programPages: false });
  await expect(hidden.call('GET', '/p/tea')).rejects.toThrow('No route for /p/tea');
  await hidden.close();
});
