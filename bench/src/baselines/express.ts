import express from 'express';
import { ANSWER, announce } from './answer.ts';

/** What everything is measured against: Express 5 that parses the same body and answers a constant. */
const app = express();
app.disable('x-powered-by');
app.use(express.json());
app.post('/api/v1/track/:event', (_request, response) => {
  response.json(ANSWER);
});
announce(app.listen(0, '127.0.0.1'));
