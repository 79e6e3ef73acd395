import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFreePort } from '../../core/test/support/free-port.ts';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { selfSignedCertificate } from '../../tracker/test/certificate.ts';
import { judgeProxies, PROBE_ADDRESS } from '../src/commands/doctor/judge-proxies.ts';
import { runServer } from './server-process.ts';
import { clientOf, startWebServer, waitUntilReady } from './web-server.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const GUIDE = readFileSync(join(root, 'docs/guides/hosting.md'), 'utf8');
const HOST = 'affiliates.your-shop.example';
const PUBLIC_URL = `https://${HOST}`;
const UPSTREAM = '127.0.0.1:8787';
const OWNER = { email: 'owner@shop.example', password: 'correct horse battery' };
const METRICS_TOKEN = 'a-token-for-metrics';

interface Ports {
  readonly http: number;
  readonly https: number;
  /** The address of the Affkit server. */
  readonly upstream: string;
}

/** Returns the guide's only example in this language. */
function exampleOf(language: 'caddyfile' | 'nginx'): string {
  const [example, ...others] = [
    ...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm')),
  ];
  expect(others).toEqual([]);
  return example?.[1] ?? '';
}

/** Replaces text that the example must contain. */
function replace(example: string, from: string, to: string): string {
  expect(example).toContain(from);
  return example.replaceAll(from, to);
}

function startNginx({ http, https, upstream }: Ports): void {
  const folder = makeTempFolder();
  const { key, cert } = selfSignedCertificate(HOST);
  writeFileSync(join(folder, 'privkey.pem'), key);
  writeFileSync(join(folder, 'fullchain.pem'), cert);
  let servers = exampleOf('nginx');
  servers = replace(servers, `/etc/letsencrypt/live/${HOST}/`, `${folder}/`);
  servers = replace(servers, 'listen 80;', `listen 127.0.0.1:${http};`);
  servers = replace(servers, 'listen 443 ssl', `listen 127.0.0.1:${https} ssl`);
  servers = replace(servers, UPSTREAM, upstream);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  startWebServer({
    variable: 'NGINX_PATH',
    args: ['-p', folder, '-c', join(folder, 'config'), '-e', 'stderr'],
    config: `daemon off; master_process off; pid ${folder}/pid; events {}
      http { access_log off; ${paths.join(' ')} ${servers} }`,
    folder,
  });
}

function startCaddy(site: string, { http, https }: Ports, env: Readonly<Record<string, string>> = {}): void {
  const folder = makeTempFolder();
  // The certificates come from Caddy's own authority, because Let's Encrypt cannot reach this machine.
  const options = `admin off\nlocal_certs\nskip_install_trust\nhttp_port ${http}\nhttps_port ${https}`;
  startWebServer({
    variable: 'CADDY_PATH',
    args: ['run', '--adapter', 'caddyfile', '--config', join(folder, 'config')],
    config: `{\n${options}\ndefault_bind 127.0.0.1\n}\n${site}`,
    folder,
    env,
  });
}

const PROXIES: Readonly<Record<string, (ports: Ports) => void>> = {
  'nginx with the example of the guide': startNginx,
  'Caddy with the example of the guide': (ports) =>
    startCaddy(replace(exampleOf('caddyfile'), UPSTREAM, ports.upstream), ports),
  'Caddy with the Caddyfile for Compose': (ports) =>
    startCaddy(readFileSync(join(root, 'deploy/compose/Caddyfile'), 'utf8'), ports, {
      AFFKIT_DOMAIN: HOST,
      AFFKIT_UPSTREAM: ports.upstream,
    }),
};

test.each(Object.keys(PROXIES))('%s forwards everything that the server needs', async (name) => {
  const server = runServer({
    TRUST_PROXY: '1',
    PUBLIC_URL,
    METRICS_TOKEN,
    ADMIN_EMAIL: OWNER.email,
    ADMIN_PASSWORD: OWNER.password,
  });
  const ports = {
    http: await findFreePort(),
    https: await findFreePort(),
    upstream: `127.0.0.1:${await server.listening}`,
  };
  PROXIES[name]?.(ports);
  const send = clientOf(HOST, ports.https);
  await waitUntilReady(send);

  const plain = await fetch(`http://127.0.0.1:${ports.http}/app`, {
    redirect: 'manual',
    headers: { host: HOST },
  });
  expect(plain.status).toBe(308);
  expect(plain.headers.get('location')).toMatch(/^https:\/\/[^/]+\/app$/);

  const forged = { authorization: `Bearer ${METRICS_TOKEN}`, 'x-forwarded-for': PROBE_ADDRESS };
  const client = JSON.parse((await send('/diagnostics', { headers: forged })).body);
  expect(client).toMatchObject({ client_ip: '127.0.0.1', secure: true, host: HOST });
  expect(judgeProxies(client, PUBLIC_URL)).toMatchObject([{ check: 'server.proxies', level: 'ok' }]);

  const page = await send('/app');
  expect(page).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'strict-transport-security': expect.stringContaining('max-age='),
    },
    body: expect.stringContaining('<!doctype html>'),
  });

  const post = async (path: string, body: string | object, token?: string) => {
    const headers = {
      'content-type': 'application/json',
      origin: PUBLIC_URL,
      ...(token && { authorization: `Bearer ${token}` }),
    };
    return send(path, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  };
  const { token } = JSON.parse((await post('/api/auth/login', OWNER)).body);
  const program = {
    name: 'Shop',
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 20 },
  };
  const { data } = JSON.parse((await post('/api/advertiser/affiliate-programs', program, token)).body);
  const partner = { name: 'Ann', email: 'ann@partner.example', code: 'ann' };
  await post(`/api/advertiser/affiliate-programs/${data.id}/partners`, partner, token);
  const click = await post('/api/v1/track/click', { affiliate_url: 'https://shop.example/?aff=ann' });
  expect(JSON.parse(click.body)).toMatchObject({ partner_code: 'ann' });

  // 1.4 MB, which is more than nginx accepts by default.
  const ids = Array.from({ length: 1000 }, (_id, index) => `${'\\u0041'.repeat(230)}${index}`);
  const large = await post(
    '/api/v1/track/exists',
    `{"transaction_ids":["${ids.join('","')}"]}`,
    data.api_token,
  );
  expect(large).toMatchObject({ status: 200, body: expect.stringContaining('"existing":[]') });
  // Both proxies accept these bodies, because their limit is 5 MB. The server rejects the bodies before it has
  // read them.
  for (const [path, bytes] of [
    ['/api/v1/track/click', 2_000_000],
    ['/api/v1/track/exists', 4_900_000],
  ] as const) {
    expect([path, (await post(path, 'x'.repeat(bytes), data.api_token)).status]).toEqual([path, 413]);
  }
});
