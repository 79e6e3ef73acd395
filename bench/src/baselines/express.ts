import express from 'express';
import { CLICK_RESPONSE, reportListening } from './bare-server.ts';

/** The baseline for clicks, leads, and sales: an Express 5 app that parses the body and returns a constant. */
const app = express();
app.disable('x-powered-by');
app.use(express.json());
app.post('/api/v1/track/:event', (_request, response) => {
  response.json(CLICK_RESPONSE);
});
reportListening(app.listen(0, '127.0.0.1'));
