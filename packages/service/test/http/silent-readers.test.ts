import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { until } from '../../../kit/testing.js';
import { defaultTimeouts } from '../../src/http/server.js';
import { events } from '../../src/observability/events.js';
import { plantMany } from '../support/many-plants.js';
import { startService } from '../support/service.js';

t.test('a client that reads nothing is cut off, and its list gives its slot back', async (t) => {
  const timeouts = { ...defaultTimeouts, silenceMs: 1_000 };
  const { port, token, databaseUrl, log } = await startService(t, { timeouts });
  await plantMany(databaseUrl, 'owner', 10_000, '🌵'.repeat(240));
  let lists = 0;
  const count = (now: number) => {
    lists = now;
  };
  events.on('longLists', count);
  t.teardown(() => events.off('longLists', count));
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  socket.write(`GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, 'readable');
  t.equal(lists, 1);
  await until('its slot is free', () => lists === 0);
  await until('it is logged', () => log().includes('"msg":"answered in part"'));
  t.notMatch(log(), /"level":50/);
});
