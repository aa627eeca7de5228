import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { newPlantText, plantText } from '../../packages/service/test/support/plants.js';
import { startService } from '../../packages/service/test/support/service.js';

t.test(
  'a request in flight at shutdown is answered, and its connection closes with the answer',
  async (t) => {
    const { port, token, close } = await startService(t);
    const socket = connect(port, '127.0.0.1');
    const body = newPlantText('{"id":1,"name":"Ficus"}');
    socket.write(
      `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    // The server has read the head, and waits for the body.
    await once(socket, 'data');
    const closed = close();
    const received: string[] = [];
    socket.on('data', (chunk) => received.push(String(chunk)));
    socket.write(body);
    await once(socket, 'close');
    t.match(received.join(''), /^HTTP\/1\.1 200 OK\r\n/);
    t.ok(received.join('').endsWith(plantText({ name: 'Ficus' })));
    await closed;
  },
);
