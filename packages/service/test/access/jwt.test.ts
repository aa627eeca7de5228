import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { portOf } from '../../../contract-tools/base.js';
import { makeCertificate, until, withoutOpenssl } from '../../../kit/testing.js';
import { fetchKeys } from '../../src/access/fetch-keys.js';
import { JwtOwners } from '../../src/access/jwt-owners.js';
import { OverloadError } from '../../src/errors/overloads.js';
import { makeLog } from '../../src/log/log.js';
import { type Issuer, inSeconds, makeKey, startIssuer } from '../support/issuer.js';
import { newPlantText, plantText } from '../support/plants.js';
import { startService } from '../support/service.js';

interface Options {
  readonly ownerClaim?: string;
  readonly jwksUrl?: string;
  readonly limits?: ConstructorParameters<typeof JwtOwners>[2];
}

/** The issuer of the test that runs. A token is of one issuer only, so the service may remember those of others. */
let current: Pick<JwtOwners, 'find'>;
const service = await startService(t, { jwts: { find: (token) => current.find(token) } });
const withoutIssuer = await startService(t);

/** The service, with an issuer beside its own tokens. Its log begins now. */
async function serve(t: Test, issuer: Issuer, { limits = {}, ...settings }: Options = {}) {
  const lines: string[] = [];
  const log = makeLog('debug', { write: (line) => lines.push(line) });
  const jwts = new JwtOwners({ ...issuer.settings, ...settings }, log, limits);
  t.teardown(() => jwts.close());
  current = jwts;
  const logged = service.log().length;
  return { ...service, jwts, log: () => lines.join('') + service.log().slice(logged) };
}

const statusOf = async ({ call }: Awaited<ReturnType<typeof serve>>, token: string): Promise<number> =>
  (await call('GET', '/plants', { token })).status;

t.test("a claim of the issuer's token names the owner, as an own token does", async (t) => {
  const issuer = await startIssuer(t);
  const { call, tokens } = await serve(t, issuer);
  const [ada, eve] = [await issuer.sign({ sub: 'ada' }), await issuer.sign({ sub: 'eve' })];
  t.equal(
    (await call('POST', '/plants', { token: ada, body: newPlantText({ id: 1, name: 'one' }) })).status,
    200,
  );
  t.equal((await call('GET', '/plants', { token: ada })).text, `[${plantText({ name: 'one' })}]`);
  t.equal((await call('GET', '/plants', { token: eve })).text, '[]');
  t.equal(
    (await call('GET', '/plants', { token: await tokens.issue('ada') })).text,
    `[${plantText({ name: 'one' })}]`,
  );
});

t.test('JWT_OWNER_CLAIM chooses the claim, and JWT_JWKS_URL replaces the metadata', async (t) => {
  const issuer = await startIssuer(t);
  const claim = 'https://plants.example/owner';
  const jwksUrl = `${issuer.settings.issuer}/keys`;
  const service = await serve(t, issuer, { ownerClaim: claim, jwksUrl });
  t.match(await service.jwts.find(await issuer.sign({ [claim]: 'Ada Lovelace ♥' })), {
    owner: 'Ada Lovelace ♥',
  });
  t.equal(await statusOf(service, await issuer.sign()), 401);
  t.strictSame(issuer.asked, ['/keys']);
});

t.test('every asymmetric algorithm of the list is accepted', async (t) => {
  const issuer = await startIssuer(t);
  const algorithms = ['RS256', 'RS512', 'PS256', 'PS384', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
  const keys = await Promise.all(algorithms.map((alg) => makeKey(alg)));
  issuer.publish(...keys);
  const { jwts } = await serve(t, issuer);
  for (const key of keys) t.match(await jwts.find(await issuer.sign({}, {}, key)), { owner: 'ada' }, key.alg);
});

t.test('the token types of access tokens are accepted, whatever the letter case', async (t) => {
  const issuer = await startIssuer(t);
  const { jwts } = await serve(t, issuer);
  for (const typ of ['at+jwt', 'application/at+jwt', 'JWT', 'AT+JWT']) {
    t.match(await jwts.find(await issuer.sign({}, { typ })), { owner: 'ada' }, typ);
  }
});

t.test('clocks may differ by 30 seconds, and no token is remembered after its end', async (t) => {
  const issuer = await startIssuer(t);
  const { jwts } = await serve(t, issuer);
  const { remainingMs } = await jwts.find(await issuer.sign({ exp: inSeconds(-20), nbf: inSeconds(20) }));
  t.ok(Number(remainingMs) <= 11_000, `${remainingMs} ms`);
  t.match(await jwts.find(await issuer.sign({ aud: ['other', issuer.settings.audience] })), { owner: 'ada' });
});

const claimFault = /^The claim (?:iss|aud|exp|nbf) of the access token is missing, or not accepted here\.$/;
const ownerFault = 'The access token does not name an owner.';
const malformed = 'The access token is malformed, or not signed by its issuer.';
const noToken = 'The access token is malformed, unknown, expired or revoked.';

t.test('a token that is not for this service, or not valid now, is a 401 that says why', async (t) => {
  const issuer = await startIssuer(t);
  const service = await serve(t, issuer);
  const wrongClaims: readonly (readonly [JWTPayload, string | RegExp])[] = [
    [{ aud: 'https://other.example' }, claimFault],
    [{ aud: [] }, claimFault],
    [{ iss: 'https://other.example' }, claimFault],
    [{ iss: `${issuer.settings.issuer}/` }, claimFault],
    [{ exp: inSeconds(-40) }, 'The access token has expired.'],
    [{ nbf: inSeconds(60) }, claimFault],
    [{ sub: '' }, ownerFault],
    [{ sub: 'x'.repeat(256) }, ownerFault],
    [{ sub: 'a\u0000b' }, ownerFault],
    [{ sub: 'a\nb' }, ownerFault],
  ];
  const refused: [token: string, message: string | RegExp][] = [];
  for (const [claims, message] of wrongClaims) refused.push([await issuer.sign(claims), message]);
  // The types of SignJWT do not admit these.
  for (const [claim, value, message] of [
    ['exp', undefined, claimFault],
    ['aud', undefined, claimFault],
    ['iss', undefined, claimFault],
    ['exp', String(inSeconds(60)), claimFault],
    ['sub', undefined, ownerFault],
    ['sub', 7, ownerFault],
    ['sub', ['ada'], ownerFault],
    ['sub', null, ownerFault],
  ] as const) {
    refused.push([await issuer.sign(Object.fromEntries([[claim, value]])), message]);
  }
  for (const typ of ['logout+jwt', 'dpop+jwt', 'JWE'])
    refused.push([await issuer.sign({}, { typ }), malformed]);
  for (const [token, message] of refused) {
    const answer = await service.call('GET', '/plants', { token });
    t.match(answer, { status: 401, body: { error: 401, message } }, decoded(token));
    t.match(
      answer.headers.get('www-authenticate'),
      /^Bearer realm="Plant Store", error="invalid_token", error_description="[^"\\]+"$/,
    );
  }
  t.match(service.log(), '"msg":"refused a JWT"');
  for (const [token] of refused)
    for (const part of token.split('.').slice(1))
      t.notOk(service.log().includes(part), 'the log has no token');
});

/** Its header and claims. */
function decoded(token: string): string {
  const parts = token.split('.', 2).map((part) => Buffer.from(part, 'base64url').toString());
  return parts.join();
}

t.test('a member of every object is not a claim', async (t) => {
  const issuer = await startIssuer(t);
  for (const ownerClaim of ['constructor', '__proto__', 'toString', 'exp']) {
    const jwts = new JwtOwners({ ...issuer.settings, ownerClaim }, makeLog('silent'));
    t.teardown(() => jwts.close());
    await t.rejects(
      jwts.find(await issuer.sign()),
      { name: 'InvalidTokenError', message: ownerFault },
      ownerClaim,
    );
  }
});

t.test('a forged token is a 401', async (t) => {
  const issuer = await startIssuer(t);
  const key = await makeKey('RS256', 'the-kid');
  issuer.publish(key);
  const service = await serve(t, issuer);
  const good = await issuer.sign();
  t.equal(await statusOf(service, good), 200);
  const [head = '', payload = '', signature = ''] = good.split('.');
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const mine = await makeKey('RS256', key.kid);
  const weak = await generateKeyPair('ES256', { extractable: true });
  const hmac = (secret: string): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid }).sign(Buffer.from(secret));
  const attacker = await startIssuer(t);
  attacker.publish(mine);
  const elsewhere = `${attacker.settings.issuer}/keys`;
  const forged: readonly (readonly [what: string, token: string, message: string])[] = [
    [
      'the signature of another token',
      `${head}.${encode({ ...claims, sub: 'eve' })}.${signature}`,
      malformed,
    ],
    ['another key with the same kid', await issuer.sign({}, {}, mine), malformed],
    ['its own key in jwk', await issuer.sign({}, { jwk: mine.jwk }, mine), malformed],
    ['its own keys by jku', await issuer.sign({}, { jku: elsewhere }, mine), malformed],
    ['its own keys by x5u', await issuer.sign({}, { x5u: elsewhere }, mine), malformed],
    ['alg none without a signature', `${encode({ alg: 'none' })}.${payload}.`, noToken],
    [
      'alg none with a signature',
      `${encode({ alg: 'none', kid: key.kid })}.${payload}.${signature}`,
      malformed,
    ],
    ['HS256 by the public key in PEM', await hmac(await exportSPKI(key.publicKey)), malformed],
    ['HS256 by the public key as JWK', await hmac(JSON.stringify(key.jwk)), malformed],
    ['HS256 by the modulus', await hmac(String(key.jwk.n)), malformed],
    [
      'another algorithm for the key',
      `${encode({ alg: 'PS256', kid: key.kid })}.${payload}.${signature}`,
      malformed,
    ],
    [
      'an unknown extension that is critical',
      await new SignJWT(claims)
        .setProtectedHeader({ alg: key.alg, kid: key.kid, crit: ['strict'], strict: true })
        .sign(key.privateKey, { crit: { strict: true } }),
      malformed,
    ],
    [
      'a key of another kind',
      await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(weak.privateKey),
      malformed,
    ],
    [
      'a header that is not JSON',
      `${Buffer.from('{"alg"').toString('base64url')}.${payload}.${signature}`,
      malformed,
    ],
    ['claims that are not an object', `${head}.${encode([claims])}.${signature}`, malformed],
    ['an encrypted token', `${good}.${payload}.${signature}`, noToken],
    ['more than 8192 characters', await issuer.sign({ more: 'x'.repeat(8_192) }), noToken],
  ];
  for (const [what, token, message] of forged) {
    t.match(await service.call('GET', '/plants', { token }), { status: 401, body: { message } }, what);
  }
  t.strictSame(attacker.asked, [], 'no header makes the service ask elsewhere');
});

t.test('after a rotation the new key is fetched', async (t) => {
  const issuer = await startIssuer(t);
  const service = await serve(t, issuer, { limits: { pauseMs: 0 } });
  t.equal(await statusOf(service, await issuer.sign()), 200);
  issuer.publish(await makeKey());
  const after = await Promise.all(Array.from({ length: 20 }, (_, n) => issuer.sign({ sub: `owner ${n}` })));
  t.strictSame(new Set(await Promise.all(after.map((token) => statusOf(service, token)))), new Set([200]));
});

t.test('a rotation is noticed although strangers send unknown keys', async (t) => {
  const issuer = await startIssuer(t);
  const service = await serve(t, issuer);
  t.equal(await statusOf(service, await issuer.sign()), 200);
  const stranger = await makeKey();
  t.equal(await statusOf(service, await issuer.sign({}, {}, stranger)), 401);
  // The stranger's token has just used up a fetch.
  issuer.publish(await makeKey());
  t.equal(await statusOf(service, await issuer.sign()), 200);
});

t.test('tokens with unknown keys share a fetch, and are refused together', async (t) => {
  const issuer = await startIssuer(t);
  const { jwts } = await serve(t, issuer, { limits: { pauseMs: 0, maxWaiting: 20 } });
  const good = await issuer.sign();
  await jwts.find(good);
  const asked = issuer.asked.length;
  const { promise, resolve } = withResolvers();
  issuer.held = promise;
  const stranger = await makeKey();
  const unknown = await Promise.all(
    Array.from({ length: 21 }, (_, n) => issuer.sign({ sub: `${n}` }, {}, stranger)),
  );
  const answers = unknown
    .slice(0, 20)
    .map((token) => t.rejects(jwts.find(token), { name: 'InvalidTokenError' }));
  await until('the issuer is asked', () => issuer.asked.length > asked);
  await t.rejects(
    jwts.find(String(unknown[20])),
    { name: 'OverloadError', reason: 'JWTs' },
    'one more waits',
  );
  t.match(await jwts.find(good), { owner: 'ada' }, 'known keys do not wait');
  resolve();
  await Promise.all(answers);
  t.equal(issuer.asked.length, asked + 2, 'the metadata and the keys, once');
});

t.test('a token with wrong claims is refused before anybody looks for its key', async (t) => {
  const issuer = await startIssuer(t);
  const service = await serve(t, issuer, { limits: { pauseMs: 0 } });
  t.equal(await statusOf(service, await issuer.sign()), 200);
  const asked = issuer.asked.length;
  const stranger = await makeKey();
  for (const claims of [
    { aud: 'https://other.example' },
    { iss: 'https://other.example' },
    { nbf: inSeconds(60) },
  ]) {
    const token = await issuer.sign(claims, {}, stranger);
    t.match(await service.call('GET', '/plants', { token }), { status: 401, body: { message: claimFault } });
  }
  for (const [claims, header] of [
    [{ exp: inSeconds(-40) }, {}],
    [{}, { typ: 'logout+jwt' }],
  ] as const) {
    t.equal(await statusOf(service, await issuer.sign(claims, header, stranger)), 401);
  }
  t.equal(issuer.asked.length, asked);
});

t.test('a request does not wait for the keys of its issuer for longer than it has time', async (t) => {
  const issuer = await startIssuer(t);
  const { jwts } = await serve(t, issuer, { limits: { timeoutMs: 600_000, waitMs: 100 } });
  const good = await issuer.sign();
  await until('the keys are there', () => jwts.find(good).catch(() => undefined));
  issuer.isSilent = true;
  const unknown = await issuer.sign({}, { kid: 'unknown' });
  await t.rejects(jwts.find(unknown), { name: 'IssuerUnavailableError' });
  await t.rejects(jwts.find(unknown, performance.now() - 600_000), { name: 'IssuerUnavailableError' });
  issuer.isSilent = false;
});

t.test('more signatures than can be checked at the same time are a 503', async (t) => {
  const issuer = await startIssuer(t);
  const { jwts } = await serve(t, issuer, { limits: { maxChecks: 2 } });
  const [head = '', , signature = ''] = (await issuer.sign()).split('.');
  // The key is imported now, so all of these reach the check of the signature in the same tick.
  await jwts.find(await issuer.sign());
  const forged = await Promise.all(
    Array.from({ length: 3 }, async (_, n) => {
      const [, claims] = (await issuer.sign({ sub: `${n}` })).split('.');
      return `${head}.${claims}.${signature}`;
    }),
  );
  const results = await Promise.allSettled(forged.map((token) => jwts.find(token)));
  t.match(
    results.map((result) => result.status === 'rejected' && result.reason.name),
    ['InvalidTokenError', 'InvalidTokenError', 'OverloadError'],
  );
  t.match(await jwts.find(await issuer.sign()), { owner: 'ada' }, 'they are over');

  current = {
    find: async () => {
      throw new OverloadError('JWTs', 'too many');
    },
  };
  const answer = await service.call('GET', '/plants', { token: await issuer.sign() });
  t.match(answer, {
    status: 503,
    body: { message: 'Too many access tokens are being checked: try again later.' },
  });
  t.equal(answer.headers.get('retry-after'), '1');
  t.match(service.log(), 'OverloadError');
  t.notMatch(service.log(), /Database\w*Error/, 'PostgreSQL is well');
});

/** Promise.withResolvers, which Node.js 20 does not have. */
function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

t.test('a key that the issuer removed is refused after a refresh', async (t) => {
  const issuer = await startIssuer(t);
  const old = await makeKey();
  issuer.publish(old);
  const service = await serve(t, issuer, { limits: { pauseMs: 0, refreshMs: 20 } });
  t.equal(await statusOf(service, await issuer.sign()), 200);
  issuer.publish(await makeKey());
  await until(
    'the old key is gone',
    async () => (await statusOf(service, await issuer.sign({}, {}, old))) === 401,
  );
});

t.test('an issuer that is down at the start is a 503 for its tokens only, until it answers', async (t) => {
  const issuer = await startIssuer(t);
  const token = await issuer.sign();
  await issuer.stop();
  const service = await serve(t, issuer, { limits: { pauseMs: 0 } });
  const { call, tokens } = service;
  const answer = await call('GET', '/plants', { token });
  t.match(answer, {
    status: 503,
    body: {
      error: 503,
      message: 'The issuer of this access token cannot be asked for its keys: try again later.',
    },
  });
  t.equal(answer.headers.get('retry-after'), '1');
  t.equal((await call('GET', '/plants', { token: await tokens.issue('ada') })).status, 200);
  t.equal((await call('GET', '/plants', { token: `${token}.` })).status, 401);
  await issuer.start();
  t.equal(await statusOf(service, token), 200);
  const about = service
    .log()
    .split('\n')
    .filter((line) => line.includes('the issuer of JWTs'))
    .map((line) => JSON.parse(line));
  t.match(about, [
    {
      level: 40,
      msg: 'the issuer of JWTs does not answer, and will be asked again',
      err: { message: /connection refused/ },
    },
    { level: 30, msg: 'the issuer of JWTs answers again' },
  ]);
  t.equal(about.length, 2);
});

t.test('if the issuer goes down later, its known keys go on, and an unknown key is a 503', async (t) => {
  const issuer = await startIssuer(t);
  const service = await serve(t, issuer, { limits: { pauseMs: 0, refreshMs: 20 } });
  t.equal(service.jwts.keysAgeMs, Number.POSITIVE_INFINITY, 'no keys have come yet');
  t.equal(await statusOf(service, await issuer.sign()), 200);
  await issuer.stop();
  await until('the service has noticed', () => service.log().includes('does not answer'));
  const ageMs = service.jwts.keysAgeMs;
  await until('fetches that fail leave them as old as they are', () => service.jwts.keysAgeMs > ageMs + 100);
  t.equal(await statusOf(service, await issuer.sign({ sub: 'eve' })), 200);
  t.equal(await statusOf(service, await issuer.sign({}, {}, await makeKey())), 503);
});

t.test('an issuer that does not answer in time is a 503', async (t) => {
  const issuer = await startIssuer(t);
  issuer.isSilent = true;
  const service = await serve(t, issuer, { limits: { timeoutMs: 50 } });
  t.equal(await statusOf(service, await issuer.sign()), 503);
  t.match(service.log(), /aborted due to timeout/);
});

t.test('metadata and keys that cannot be right are named', async (t) => {
  const metadata = '/.well-known/openid-configuration';
  const issuer = await startIssuer(t);
  const right = new Map(issuer.answers);
  const other = 'https://other.example';
  for (const [path, answer, message] of [
    [
      metadata,
      { issuer: other },
      / is of the issuer "https:\/\/other\.example": set JWT_ISSUER to exactly that\.$/,
    ],
    [metadata, { issuer: issuer.settings.issuer }, / has no jwks_uri: set JWT_JWKS_URL\.$/],
    [metadata, undefined, /^Cannot get the keys of JWT_ISSUER at http\S+: the status is 404\. /],
    ['/keys', undefined, /^Cannot get the keys of JWT_ISSUER at http\S+\/keys: the status is 404\. /],
    ['/keys', 'not keys', / is not a set of keys \(RFC 7517\): correct JWT_JWKS_URL or JWT_ISSUER\.$/],
  ] as const) {
    if (answer === undefined) issuer.answers.delete(path);
    else issuer.answers.set(path, answer);
    await t.rejects(fetchKeys(issuer.settings), { name: 'IssuerError', message });
    for (const [path, answer] of right) issuer.answers.set(path, answer);
  }
  await t.resolves(fetchKeys(issuer.settings));
  issuer.answers.set('/keys', { keys: [7] });
  const service = await serve(t, issuer);
  t.equal(await statusOf(service, await issuer.sign()), 503);
  t.match(service.log(), 'JSON Web Key Set malformed');
});

t.test('an answer of the issuer of more than 1 MiB is refused, also if it is compressed', async (t) => {
  const issuer = await startIssuer(t);
  for (const path of ['/keys', '/.well-known/openid-configuration']) {
    const right = issuer.answers.get(path);
    const padded = (bytes: number) => gzipSync(JSON.stringify(right).padEnd(bytes));
    issuer.answers.set(path, padded(2 ** 20));
    await t.resolves(fetchKeys(issuer.settings), '1 MiB');
    issuer.answers.set(path, padded(2 ** 20 + 1));
    await t.rejects(fetchKeys(issuer.settings), {
      name: 'IssuerError',
      message: /^Cannot get the keys of JWT_ISSUER at http\S+: the answer has more than 1048576 bytes\. /,
    });
    issuer.answers.set(path, right);
  }
});

t.test('keys come by http or https only, from where the metadata say, and from nowhere else', async (t) => {
  const issuer = await startIssuer(t);
  const { issuer: address } = issuer.settings;
  const metadata = '/.well-known/openid-configuration';
  const named = (keys: string) => issuer.answers.set(metadata, { issuer: address, jwks_uri: keys });
  for (const [keys, scheme] of [
    ['data:application/json,{"keys":[]}', 'data:'],
    ['file:///etc/passwd', 'file:'],
    ['blob:nodedata:1', 'blob:'],
  ] as const) {
    named(keys);
    await t.rejects(fetchKeys(issuer.settings), {
      name: 'IssuerError',
      message: new RegExp(` has a jwks_uri that begins with "${scheme}", and not with https: or http:: `),
    });
  }
  const redirecting = createServer((_request, response) => {
    response.writeHead(302, { location: `${address}/keys` }).end();
  });
  t.teardown(() => redirecting.close());
  await once(redirecting.listen(0, '127.0.0.1'), 'listening');
  const port = portOf(redirecting);
  named(`http://127.0.0.1:${port}/`);
  await t.rejects(fetchKeys(issuer.settings), { message: /: the status is 302\. / });
});

t.test('an https issuer may not lead to keys by http', { skip: withoutOpenssl }, async (t) => {
  const keys = await startIssuer(t);
  const server = createTlsServer(await makeCertificate(t), (_request, response) => {
    response.end(JSON.stringify({ issuer, jwks_uri: `${keys.settings.issuer}/keys` }));
  });
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `https://127.0.0.1:${portOf(server)}`;
  const code = `import { fetchKeys } from ${JSON.stringify(import.meta.resolve('../../src/access/fetch-keys.js'))};
    console.log(await fetchKeys(${JSON.stringify({ ...keys.settings, issuer })}).catch(String));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...process.execArgv, '--input-type=module', '--eval', code],
    { env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
  );
  t.match(stdout, /^IssuerError: https\S+ has a jwks_uri that begins with "http:", and not with https:: /);
  t.strictSame(keys.asked, []);
});

t.test('a key that Node.js cannot use is a 401, not a 500', async (t) => {
  const issuer = await startIssuer(t);
  const key = await makeKey('RS256');
  issuer.publish({ ...key, jwk: { ...key.jwk, n: 'AQAB' } });
  t.equal(await statusOf(await serve(t, issuer), await issuer.sign()), 401);
});

t.test('without JWT_ISSUER, a JWT is a 401', async (t) => {
  const issuer = await startIssuer(t);
  t.match(await withoutIssuer.call('GET', '/plants', { token: await issuer.sign() }), {
    status: 401,
    body: { message: noToken },
  });
  t.strictSame(issuer.asked, []);
});

t.test('no part of a JWT in a URL is in the log', async (t) => {
  const issuer = await startIssuer(t);
  const { call, log } = withoutIssuer;
  const token = await issuer.sign();
  for (const text of [token, token.replaceAll('.', '%2E'), token.replace('eyJ', 'ey%20J')])
    await call('GET', `/plants?access_token=${text}`, { token });
  for (const part of token.split('.')) t.notOk(log().includes(part.slice(3)));
  t.match(log(), '"route":"/plants"');
});
