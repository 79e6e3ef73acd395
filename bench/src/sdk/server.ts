import { createServer } from 'node:net';
import { reportListening } from '../baselines/bare-server.ts';

/**
 * Returns the same sale response to every request with as little CPU time as possible, because only the
 * client is measured.
 */
const body =
  '{"success":true,"sale_id":4711,"commission_id":815,"message":"Sale tracked successfully","request_id":"req_1"}';
const response = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: req_1\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
);

const server = createServer({ noDelay: true }, (socket) => {
  let received = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    received = '';
    socket.write(response);
  });
});
reportListening(server.listen(0, '127.0.0.1'));
