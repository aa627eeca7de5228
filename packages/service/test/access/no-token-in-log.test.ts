import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import t from 'tap';
import { spawnServer } from '../../../kit/testing.js';
import { hashToken, makeToken } from '../../src/access/token.js';
import { TokenStore } from '../../src/access/token-store.js';
import { newPlantText, withTexts } from '../support/plants.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';

t.test('the log contains no token and no hash of a token, whatever is sent', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const settings = { DATABASE_URL, LOG_LEVEL: 'trace', TRUST_PROXY: '127.0.0.1' };
  const server = await spawnServer(t, settings);
  const database = openDatabase(t, DATABASE_URL);
  const tokens = new TokenStore(database);
  const [good, gone, unknown] = [await tokens.issue('ada'), await tokens.issue('ada'), makeToken()];
  await tokens.revoke(2n);
  const wrong = good.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  const all = [good, gone, unknown, wrong];

  const statuses = new Set<number>();
  const story = async (): Promise<void> => {
    for (const token of all) {
      const body = newPlantText({ id: 1, name: token, ...withTexts(token) });
      for (const [method, path, sent] of [
        ['GET', '/plants', undefined],
        ['POST', '/plants', body],
        ['POST', '/plants', newPlantText(`{"id":1,"name":"${token}","${token}":"${token}"}`)],
        ['POST', '/plants', newPlantText({ id: 1, name: token, ...withTexts(`another ${token}`) })],
        ['POST', '/plants', newPlantText({ id: token, name: 1 })],
        ['POST', '/plants', JSON.stringify(token)],
        ['GET', `/plants?access_token=${token}&limit=${token}`, undefined],
        ['GET', `/plants?access_token=${token.replace('_', '%5F')}`, undefined],
        ['GET', `/plants?access_token=${encoded(token)}`, undefined],
        ['GET', `/plants?access_token=${token.replace('p', '%2570')}`, undefined],
        ['GET', `/plants?access_token=${token.replace('_', '%25%35%46')}`, undefined],
        ['GET', `/plants?access_token=${token.replace('_', '%5%4%36')}`, undefined],
        ['GET', `/plants?access_token=${encoded(encoded(encoded(token)))}`, undefined],
        ['GET', `/plants?filler=${'x'.repeat(990)}&access_token=${token}`, undefined],
        ['DELETE', `/plants/${token}`, undefined],
        ['PUT', `/plants/${token}`, undefined],
        ['GET', `/${token}/%ZZ`, undefined],
        ['GET', `/ready/${token}`, undefined],
        ['GET', `/ready?${token}`, undefined],
      ] as const) {
        statuses.add((await server.call(method, path, { token, body: sent })).status);
      }
      // Requests that fetch cannot send.
      await raw(
        `GET /plants HTTP/1.1\r\nHost: ${token}\r\nAuthorization: Basic ${token}\r\nConnection: close\r\n\r\n`,
      );
      await raw(
        `GET /plants HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${token}\r\nRequest-Id: ${token}\r\nConnection: close\r\n\r\n`,
      );
      await raw(`GET /plants HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${token}\r\nConnection: close\r\n\r\n`);
      await raw(`${token} /plants HTTP/1.1\r\nHost: x\r\n\r\n`);
      await raw(`GET /${token} HTTP/9.9\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      await raw(`GET http://${token}/plants?${token} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      await raw(
        `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${token}\r\nContent-Length: 1\r\nConnection: close\r\n\r\n{`,
      );
    }
  };
  const raw = async (text: string): Promise<void> => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve));
  };

  await story();
  // An unexpected failure, tables that are missing, and a database that does not exist.
  await database.query({ text: 'ALTER TABLE plants RENAME TO before' });
  // A copy, because a foreign key to plants keeps the type of its id.
  await database.query({ text: 'CREATE TABLE plants (LIKE before)' });
  await database.query({ text: 'ALTER TABLE plants ALTER id TYPE text' });
  await story();
  await database.query({ text: 'ALTER TABLE access_tokens RENAME TO elsewhere' });
  await database.query({ text: 'ALTER TABLE plants RENAME TO elsewhere_too' });
  await story();
  const [, name] = /\/(test_\w+)\?/.exec(DATABASE_URL) ?? [];
  const admin = openDatabase(t, DATABASE_URL.replace(`/${name}?`, '/postgres?'));
  await admin.query({ text: `ALTER DATABASE ${name} ALLOW_CONNECTIONS false` });
  await admin.query({
    text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
    values: [name],
  });
  await story();
  t.strictSame([...statuses].sort(), [200, 400, 401, 404, 405, 409, 500, 503]);

  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  const log = server.stdout() + server.stderr();
  for (const line of server.stdout().trimEnd().split('\n')) JSON.parse(line);
  for (const token of all) {
    const hash = Buffer.from(hashToken(token), 'hex');
    for (const secret of [
      token,
      // The token without its prefix and without its checksum.
      token.slice(6),
      token.slice(6, 36),
      ...(['hex', 'base64', 'base64url'] as const).flatMap((encoding) => [
        hash.toString(encoding).replace(/=+$/, ''),
        Buffer.from(token).toString(encoding).replace(/=+$/, ''),
      ]),
    ]) {
      t.notOk(log.includes(secret), firstLineWith(log, secret));
    }
  }
});

/** Percent-encodes every character. */
function encoded(text: string): string {
  return Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');
}

function firstLineWith(log: string, secret: string): string {
  return log.split('\n').find((line) => line.includes(secret)) ?? 'it is nowhere';
}

t.test('the log shows thrown values that are not Errors, and the cause of an Error', async (t) => {
  const code = `import { makeLog } from ${JSON.stringify(import.meta.resolve('../../src/log/log.js'))};
    const log = makeLog('info');
    log.info({ err: 'a text' });
    log.info({ err: Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'X', detail: 'row' }) });`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...process.execArgv,
    '--input-type=module',
    '--eval',
    code,
  ]);
  const [text, error] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).err);
  t.equal(text, 'a text');
  t.match(error, { name: 'Error', message: 'outer', code: 'X', cause: { message: 'inner' } });
  t.notMatch(stdout, 'row');
});
