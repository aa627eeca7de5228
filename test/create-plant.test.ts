import t from 'tap';
import { startService } from './support/service.js';

t.test('a created plant is answered, and listed', async (t) => {
  const { call } = await startService(t);
  const created = await call('POST', '/plants', {
    body: '{"id":7,"name":"Monstera deliciosa","tag":"climber"}',
  });
  t.equal(created.status, 200);
  t.strictSame(created.body, { name: 'Monstera deliciosa', tag: 'climber' });
  t.strictSame((await call('GET', '/plants')).body, [{ name: 'Monstera deliciosa', tag: 'climber' }]);
});
