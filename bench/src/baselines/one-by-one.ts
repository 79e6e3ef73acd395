import { createAffkit } from '@affkit/core';
import { expressAdapter } from '@affkit/core/express';
import express from 'express';
import {
  recordSaleUnbatched,
  unbatchedEngine,
} from '../../../packages/core/test/support/unbatched-engine.ts';
import { reportListening } from './bare-server.ts';

/** The Affkit service without batches: each write has a separate database transaction. */
const affkit = createAffkit({
  engine: unbatchedEngine(process.env['DATABASE_URL'] ?? ''),
  secret: process.env['AFFKIT_SECRET'] ?? '',
});
await affkit.migrate();
await affkit.ensureFirstOwner({
  email: process.env['ADMIN_EMAIL'] ?? '',
  password: process.env['ADMIN_PASSWORD'],
});
const app = express();
app.post('/api/v1/track/sale', express.json(), async (request, response) => {
  const [, token = ''] = (request.get('authorization') ?? '').split(' ');
  response.json(await recordSaleUnbatched(affkit.runtime, token, request.body));
});
app.use(expressAdapter(affkit));
reportListening(app.listen(0, '127.0.0.1'));
