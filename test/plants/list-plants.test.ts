import pg from 'pg';
import t from 'tap';
import {
  insertPlants,
  newPlantText,
  optionalTexts,
  parsedPlant,
  plantText,
  withTexts,
} from '../../packages/service/test/support/plants.js';
import { startService } from '../../packages/service/test/support/service.js';

const { databaseUrl, tokens, call, newCaller } = await startService(t);

t.test('plants are listed by ascending id, each once, with exactly their documented members', async (t) => {
  const call = await newCaller();
  for (const id of [3n, -1n, 2n ** 63n - 1n, 0n, -(2n ** 63n), 10n, 9n]) {
    await call('POST', '/plants', {
      body: newPlantText({ id, name: `${id}`, ...(id === 0n && withTexts('')) }),
    });
  }
  const { text, headers } = await call('GET', '/plants');
  t.equal(
    text,
    `[${['-9223372036854775808', '-1', '0', '3', '9', '10', '9223372036854775807']
      .map((name) => plantText({ name, ...(name === '0' && withTexts('')) }))
      .join(',')}]`,
  );
  t.match(headers.get('content-type'), /^application\/json/);
});

t.test('names and tags of every kind are listed exactly, in all pages', async (t) => {
  const texts = [
    '+',
    '+a',
    ' ',
    '\n',
    '","',
    '\\',
    '\\x1f',
    "'",
    'null',
    '[]',
    '🪴',
    '\u2028',
    '\u007f',
    'a'.repeat(255),
  ];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Some texts contain the control characters that the store uses as separators.
  for (const { owner, empty, special = 'x' } of [
    { owner: 'without empty tags', empty: [null] },
    { owner: 'with all tags', empty: [''] },
    { owner: 'with empty and without tags', empty: [null, ''] },
    { owner: 'separated', empty: [null], special: 'x\u001fy' },
    { owner: 'controlled', empty: [null], special: '\u0001\u001e\u001f' },
  ]) {
    const tags = [...empty, ...texts];
    // Enough for pages with a statement of their own, and for pages that share one.
    const plants = Array.from({ length: 9_000 }, (_, index) => ({
      name: [450, 5_000].includes(index) ? special : (texts[index % texts.length] ?? ''),
      tag: [550, 7_000].includes(index) ? special : (tags[index % tags.length] ?? null),
    }));
    await client.query(
      insertPlants(
        `SELECT $1::text, place, name${', tag'.repeat(optionalTexts.length)}
         FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS plant (name, tag, place)`,
        optionalTexts,
      ),
      [owner, plants.map(({ name }) => name), plants.map(({ tag }) => tag)],
    );
    const { body } = await call('GET', '/plants', { token: await tokens.issue(owner) });
    t.strictSame(
      body,
      plants.map(({ name, tag }) => parsedPlant({ name, ...(tag !== null && withTexts(tag)) })),
      owner,
    );
  }
  await client.end();
});
