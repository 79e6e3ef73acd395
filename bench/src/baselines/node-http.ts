import { createServer } from 'node:http';
import { ANSWER, announce } from './answer.ts';

/** The least that Node can do: read a body, parse it, answer a constant. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(ANSWER));
  });
});
announce(server.listen(0, '127.0.0.1'));
