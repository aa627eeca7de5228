import t from 'tap';
import { hashToken, isToken, makeToken, tokenLike } from '../src/access/token.js';
import { TokenStore } from '../src/access/token-store.js';
import { migrationFolders } from '../src/parts.js';
import { Database } from '../src/postgres/database.js';
import { migrate } from '../src/postgres/migrations.js';
import { makeDatabase } from './support/database.js';

t.test('the form of a token', async (t) => {
  const tokens = Array.from({ length: 2_000 }, makeToken);
  t.equal(new Set(tokens).size, tokens.length, 'no two are the same');
  t.ok(tokens.every((token) => /^plant_[0-9A-Za-z]{36}$/.test(token)));
  t.ok(tokens.every(isToken));
  // 62 digits in 60,000 places: 968 of each, give or take 31 (one standard deviation).
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

t.test('one character changed, added or left out makes it no token', async (t) => {
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

t.test('its hash is SHA-256, in hex, and its form is found within other text', async (t) => {
  // FIPS 180-4's own example.
  t.equal(hashToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  t.equal(`/x/${makeToken()}?y=${makeToken()}`.replaceAll(tokenLike, '…'), '/x/…?y=…');
});

t.test('the table of tokens', async (t) => {
  const url = await makeDatabase(t);
  await migrate(url, migrationFolders);
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  const tokens = new TokenStore(database);
  const owner = { owner: 'ada' };

  t.test('holds no token, only its hash', async (t) => {
    const token = await tokens.issue('ada');
    const { rows } = await database.query<{ row: string; hash: string }>({
      text: "SELECT access_tokens::text AS row, encode(hash, 'hex') AS hash FROM access_tokens",
    });
    t.equal(rows.length, 1);
    t.equal(rows[0]?.hash, hashToken(token));
    t.notMatch(rows[0]?.row, token);
    t.notMatch(rows[0]?.row, token.slice(6, 36));
    t.notMatch(rows[0]?.row, Buffer.from(token).toString('hex'));
    t.strictSame(await tokens.find(hashToken(token)), { ...owner, remaining: null });
  });

  t.test('has several live ones for one owner, and ends one at a time', async (t) => {
    const [one, other] = [await tokens.issue('ada'), await tokens.issue('ada')];
    t.match(await tokens.find(hashToken(one)), owner);
    t.match(await tokens.find(hashToken(other)), owner);
    const last = (await tokens.list()).at(-1);
    t.match(last, { owner: 'ada', expiresAt: null, revokedAt: null });
    const id = last?.id ?? 0n;
    t.equal(await tokens.revoke(id), true);
    const [record] = (await tokens.list()).filter((token) => token.id === id);
    t.type(record?.revokedAt, Date);
    t.equal(await tokens.revoke(id), true, 'ending it again is no failure');
    t.strictSame(
      (await tokens.list()).filter((token) => token.id === id),
      [record],
      'and changes nothing',
    );
    t.equal(await tokens.find(hashToken(other)), undefined);
    t.match(await tokens.find(hashToken(one)), owner);
    t.equal(await tokens.revoke(id + 1_000n), false, 'there is no such token');
  });

  t.test("expires by the database's clock", async (t) => {
    const token = await tokens.issue('ada', 60_000);
    const found = await tokens.find(hashToken(token));
    t.equal(found?.owner, 'ada');
    t.ok(Number(found?.remaining) > 0 && Number(found?.remaining) <= 60_000);
    // An hour later, for the database.
    await database.query({
      text: "UPDATE access_tokens SET expires_at = expires_at - interval '1 hour' WHERE hash = decode($1, 'hex')",
      values: [hashToken(token)],
    });
    t.equal(await tokens.find(hashToken(token)), undefined);
  });

  t.test('does not know other tokens', async (t) => {
    t.equal(await tokens.find(hashToken(makeToken())), undefined);
  });
});
