import { createServer } from 'node:http';
import { Affkit } from '@affkit/node';
import { AffkitReader } from './affkit-reader.ts';
import { createShop } from './shop.ts';
import { ShopStore } from './store.ts';

const port = Number(setting('PORT'));
const affkitUrl = setting('AFFKIT_BASE_URL');

const shop = createShop({
  affkitUrl,
  affkit: new Affkit({ baseUrl: affkitUrl, token: setting('AFFKIT_TOKEN') }),
  reader: new AffkitReader({
    baseUrl: affkitUrl,
    programId: Number(setting('AFFKIT_PROGRAM_ID')),
    key: setting('AFFKIT_KEY'),
  }),
  store: new ShopStore(setting('SHOP_FILE')),
});
const server = createServer(shop);

server.on('error', (error: NodeJS.ErrnoException) => {
  console.error(
    error.code === 'EADDRINUSE'
      ? `SHOP_PORT ${port} is in use: stop what listens there, or set another`
      : `The shop can't listen on port ${port}: ${error.message}`,
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

function setting(name: string): string {
  const value = process.env[name];
  if (value) return value;
  console.error(`${name} is not set`);
  process.exit(1);
}
