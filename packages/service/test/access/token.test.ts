import pg from 'pg';
import t from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { until } from '../../../kit/testing.js';
import { removeOldTokens } from '../../src/access/old-tokens.js';
import { hashToken, isToken, makeToken } from '../../src/access/token.js';
import { type TokenRecord, TokenStore } from '../../src/access/token-store.js';
import { makeLog } from '../../src/log/log.js';
import { migrate } from '../../src/postgres/migrations.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';

t.test('a token is plant_ and 36 base62 characters, evenly distributed', async (t) => {
  const tokens = Array.from({ length: 2_000 }, makeToken);
  t.equal(new Set(tokens).size, tokens.length, 'no two are the same');
  t.ok(tokens.every((token) => /^plant_[0-9A-Za-z]{36}$/.test(token)));
  t.ok(tokens.every(isToken));
  // 60,000 places over 62 digits: 968 of each, with a standard deviation of 31.
  const counts = new Map<string, number>();
  for (const digit of tokens.flatMap((token) => [...token.slice(6, 36)])) {
    counts.set(digit, (counts.get(digit) ?? 0) + 1);
  }
  t.equal(counts.size, 62);
  t.ok([...counts.values()].every((count) => Math.abs(count - 60_000 / 62) < 7 * 31));
  for (let place = 6; place < 36; place++) {
    t.equal(new Set(tokens.map((token) => token.charAt(place))).size, 62, `every digit comes at ${place}`);
  }
});

t.test('a token with one character changed, added or removed is malformed', async (t) => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const token = makeToken();
  for (let place = 0; place < token.length; place++) {
    const [before, after] = [token.slice(0, place), token.slice(place + 1)];
    const others = [...digits, '_', '-', ' ', 'é', '\0'].filter((digit) => digit !== token.charAt(place));
    const wrong = others.filter((digit) => isToken(before + digit + after));
    t.strictSame(wrong, [], `at ${place}`);
    t.notOk(isToken(before + after));
    t.notOk(isToken(`${before}a${token.slice(place)}`));
  }
  for (const text of ['', 'plant_', token.toUpperCase(), ` ${token}`, `${token}\n`, token.slice(6)]) {
    t.notOk(isToken(text), JSON.stringify(text));
  }
});

t.test('the hash of a token is SHA-256 in hex', async (t) => {
  // The example of FIPS 180-4.
  t.equal(hashToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

t.test('the token store', async (t) => {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  const database = openDatabase(t, url);
  const tokens = new TokenStore(database);
  const owner = { owner: 'ada' };
  const listed = async (of?: string) => {
    const all: TokenRecord[] = [];
    for (let page = await tokens.list(of); page.length > 0; page = await tokens.list(of, page.at(-1)?.id))
      all.push(...page);
    return all;
  };

  t.test('the token store keeps only the hash of a token', async (t) => {
    const token = await tokens.issue('ada');
    const { rows } = await database.query<{ row: string; hash: string }>({
      text: "SELECT access_tokens::text AS row, encode(hash, 'hex') AS hash FROM access_tokens",
    });
    t.equal(rows.length, 1);
    t.equal(rows[0]?.hash, hashToken(token));
    t.notMatch(rows[0]?.row, token);
    t.notMatch(rows[0]?.row, token.slice(6, 36));
    t.notMatch(rows[0]?.row, Buffer.from(token).toString('hex'));
    t.strictSame(await tokens.find(hashToken(token)), { ...owner, remainingMs: null });
  });

  t.test('an owner can have several live tokens, and each is revoked alone', async (t) => {
    const [one, other] = [await tokens.issue('ada'), await tokens.issue('ada')];
    t.match(await tokens.find(hashToken(one)), owner);
    t.match(await tokens.find(hashToken(other)), owner);
    const last = (await listed()).at(-1);
    t.match(last, { owner: 'ada', expiresAt: null, revokedAt: null });
    const id = last?.id ?? 0n;
    t.equal(await tokens.revoke(id), true);
    const [record] = (await listed()).filter((token) => token.id === id);
    t.type(record?.revokedAt, Date);
    t.equal(await tokens.revoke(id), true, 'ending it again is no failure');
    t.strictSame(
      (await listed()).filter((token) => token.id === id),
      [record],
      'and changes nothing',
    );
    t.equal(await tokens.find(hashToken(other)), undefined);
    t.match(await tokens.find(hashToken(one)), owner);
    t.equal(await tokens.revoke(id + 1_000n), false, 'there is no such token');
  });

  t.test('the clock of the database decides when a token expires', async (t) => {
    const token = await tokens.issue('ada', 60_000);
    const found = await tokens.find(hashToken(token));
    t.equal(found?.owner, 'ada');
    t.ok(Number(found?.remainingMs) > 0 && Number(found?.remainingMs) <= 60_000);
    // Makes an hour pass for the database.
    await database.query({
      text: "UPDATE access_tokens SET expires_at = expires_at - interval '1 hour' WHERE hash = decode($1, 'hex')",
      values: [hashToken(token)],
    });
    t.equal(await tokens.find(hashToken(token)), undefined);
  });

  t.test('the token store removes tokens 30 days after their end, and no others', async (t) => {
    const others = await listed();
    const makeEnded = async (ended: string, days: number): Promise<string> => {
      const token = await tokens.issue(`${ended} ${days} days ago`);
      await database.query({
        text: `UPDATE access_tokens SET ${ended} = now() - $1 * interval '1 day' WHERE hash = decode($2, 'hex')`,
        values: [days, hashToken(token)],
      });
      return token;
    };
    const old = [await makeEnded('expires_at', 30.1), await makeEnded('revoked_at', 30.1)];
    for (const ended of ['expires_at', 'revoked_at']) await makeEnded(ended, 29.9);
    t.equal(await tokens.removeOld(), 2);
    t.equal(await tokens.removeOld(), 0);
    t.strictSame(
      (await listed()).map(({ owner }) => owner),
      [...others.map(({ owner }) => owner), 'expires_at 29.9 days ago', 'revoked_at 29.9 days ago'],
    );
    for (const token of old) t.equal(await tokens.find(hashToken(token)), undefined);
  });

  /** Stores tokens that ended long ago. */
  const makeOld = (count: number) =>
    database.query({
      text: `INSERT INTO access_tokens (owner, hash, revoked_at)
             SELECT 'old', sha256(random()::text::bytea), '2001-01-01' FROM generate_series(1, $1)`,
      values: [count],
    });
  const oldOnes = async (): Promise<number> => (await listed()).filter(({ owner }) => owner === 'old').length;

  t.test('old tokens are removed a thousand at a time, without waiting for locked rows', async (t) => {
    await makeOld(1_500);
    const replica = new pg.Client(url);
    await replica.connect();
    t.teardown(() => replica.end());
    await replica.query("BEGIN; SELECT FROM access_tokens WHERE owner = 'old' LIMIT 100 FOR UPDATE");
    t.strictSame(
      [await tokens.removeOld(), await tokens.removeOld(), await tokens.removeOld()],
      [1_000, 400, 0],
    );
    await replica.query('ROLLBACK');
    t.equal(await tokens.removeOld(), 100);
  });

  t.test('all tokens of an owner are listed and revoked, a thousand at a time, and no others', async (t) => {
    await makeOld(2_500);
    await database.query({ text: "UPDATE access_tokens SET revoked_at = NULL WHERE owner = 'old'" });
    const before = await listed();
    const ids = (await listed('old')).map(({ id }) => id);
    t.equal(ids.length, 2_500);
    t.strictSame(
      ids,
      before.flatMap(({ id, owner }) => (owner === 'old' ? [id] : [])),
    );
    t.equal(await tokens.revokeAll('old'), 2_500);
    t.ok((await listed('old')).every(({ revokedAt }) => revokedAt !== null));
    const others = (tokens: readonly TokenRecord[]) => tokens.filter(({ owner }) => owner !== 'old');
    t.strictSame(others(await listed()), others(before));
    t.equal(await tokens.revokeAll('nobody'), 0);
    await database.query({ text: "DELETE FROM access_tokens WHERE owner = 'old'" });
  });

  t.test('neither an owner nor the removal of old tokens reads the tokens of others', async (t) => {
    const client = new pg.Client(url);
    await client.connect();
    t.teardown(() => client.end());
    await client.query(
      `INSERT INTO access_tokens (owner, hash) SELECT 'many', sha256(n::text::bytea) FROM generate_series(1, 20000) n`,
    );
    await client.query('VACUUM ANALYZE access_tokens');
    const plans: string[] = [];
    const explaining = new TokenStore(
      // It asks for plans instead of rows, as a Database would send the statements.
      Object.assign(Object.create(database), {
        query: async ({ text, values }: { text: string; values: unknown[] }) => {
          const { rows } = await client.query(`EXPLAIN ${text}`, values);
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
          return { rows: [], rowCount: 0 };
        },
      }),
    );
    await explaining.list('ada');
    await explaining.removeOld();
    t.match(plans, [/access_tokens_owner/, /access_tokens_end/]);
    for (const plan of plans) t.notMatch(plan, 'Seq Scan');
    await client.query("DELETE FROM access_tokens WHERE owner = 'many'");
  });

  t.test('the service removes old tokens in repeated rounds', async (t) => {
    const lines: string[] = [];
    const log = makeLog('info', { write: (line) => lines.push(line) });
    await makeOld(1_200);
    const end = removeOldTokens(tokens, log, 1);
    // A round goes on until nothing is left.
    await until('the first round is over', () => lines.length === 1);
    await makeOld(1);
    await until('so is another one', () => lines.length === 2);
    await end();
    t.match(
      lines.map((line) => JSON.parse(line)),
      [
        { level: 30, msg: 'removed old tokens', removed: 1_200 },
        { level: 30, msg: 'removed old tokens', removed: 1 },
      ],
    );
    await makeOld(1);
    t.equal(await oldOnes(), 1, 'and not after its end');
    await database.query({ text: 'DELETE FROM access_tokens' });
  });

  t.test('a failed round of removing tokens is logged, and the next round runs', async (t) => {
    const lines: string[] = [];
    const log = makeLog('info', { write: (line) => lines.push(line) });
    let rounds = 0;
    const removeOld = async (): Promise<number> => {
      if (++rounds === 1) throw new Error('no database');
      return 0;
    };
    const end = removeOldTokens({ removeOld }, log, 1);
    await until('there is another round', () => rounds > 1);
    await end();
    const [line = '', ...others] = lines;
    t.match(JSON.parse(line), { level: 40, err: { message: 'no database' } });
    t.same(others, []);
  });

  t.test('a round of removing tokens stops early if the service ends', async (t) => {
    let rounds = 0;
    let removed = (_count: number): void => {};
    const first = new Promise<number>((resolve) => {
      removed = resolve;
    });
    const removeOld = (): Promise<number> => (++rounds === 1 ? first : Promise.resolve(1));
    const ended = removeOldTokens({ removeOld }, makeLog('silent'))();
    removed(1);
    await ended;
    t.equal(rounds, 1);
  });

  t.test('the token store does not find a token that was never issued', async (t) => {
    t.equal(await tokens.find(hashToken(makeToken())), undefined);
  });
});
