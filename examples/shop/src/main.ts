import { createServer } from 'node:http';
import { Affkit } from '@affkit/node';
import { AffkitReader } from './affkit-reader.ts';
import { createShop } from './shop.ts';
import { ShopStore } from './store.ts';

const port = Number(requireEnv('PORT'));
const affkitUrl = requireEnv('AFFKIT_BASE_URL');

const shop = createShop({
  affkitUrl,
  affkit: new Affkit({ baseUrl: affkitUrl, token: requireEnv('AFFKIT_TOKEN') }),
  reader: new AffkitReader({
    baseUrl: affkitUrl,
    programId: Number(requireEnv('AFFKIT_PROGRAM_ID')),
    key: requireEnv('AFFKIT_KEY'),
    partnerCodes: requireEnv('PANEL_PARTNERS').split(','),
  }),
  store: new ShopStore(requireEnv('SHOP_FILE')),
});
const server = createServer(shop);

server.on('error', (error: NodeJS.ErrnoException) => {
  console.error(
    error.code === 'EADDRINUSE'
      ? `SHOP_PORT ${port} is in use. Stop the process that listens there, or set another port`
      : `The shop cannot listen on port ${port}: ${error.message}`,
  );
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => console.log('listening'));

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
}

function requireEnv(name: string): string {
  const value = process.env[name];
  if (value) return value;
  console.error(`The environment variable ${name} is required`);
  process.exit(1);
}
