import express from 'express';

/** What everything is measured against: Express 5 that parses the same body and answers a constant. */
const app = express();
app.disable('x-powered-by');
app.use(express.json());
app.post('/api/v1/track/click', (_request, response) => {
  response.json({
    success: true,
    click_id: 'clk_000000101kv5je8g031jm29gjy2ccvjvy',
    partner_code: 'anna',
    cookie_window_days: 60,
    attributed_partner_code: 'anna',
    attribution_model: 'last_click',
  });
});
const listener = app.listen(0, '127.0.0.1', () => {
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`);
});
process.on('SIGTERM', () => listener.close());
