import t from 'tap';
import { describe } from '../../packages/contract-tools/check.js';
import { listOf, type Resource, readDocument, resourcesOf } from '../../packages/contract-tools/index.js';
import { documentOf } from '../../packages/service/test/support/contract/contract.js';

/** Describes a collection by the members of its create's body, its answer and its list. */
async function resourceOf({
  parameter = 'id',
  body = 'name',
  answer = '',
  list = '{ type: array, items: { type: object, properties: { name: { type: string } } } }',
  query = '',
}): Promise<Resource | undefined> {
  const members = (names: string): string =>
    `{ type: object, properties: { ${names
      .split(' ')
      .map((name) => `${name}: { type: ${name.endsWith('d') ? 'integer, format: int64' : 'string'} }`)
      .join(', ')} } }`;
  const responses = answer.startsWith('Location')
    ? 'headers: { Location: { schema: { type: string } } }'
    : answer === ''
      ? ''
      : `content: { application/json: { schema: ${members(answer)} } }`;
  const yaml = documentOf(`
  /things:
    post:
      operationId: make
      requestBody:
        required: true
        x-limits: { bytes: 1000, depth: 5 }
        content: { application/json: { schema: ${members(body)} } }
      responses:
        201:
          description: Made.
          ${responses}
    get:
      operationId: list
      ${query}
      responses: { 200: { description: All., content: { application/json: { schema: ${list} } } } }
  /things/{${parameter}}:
    delete:
      operationId: remove
      parameters: [{ name: ${parameter}, in: path, required: true, schema: { type: integer, format: int64 } }]
      responses: { 204: { description: Gone. } }`);
  const [resource] = resourcesOf(describe(readDocument(yaml, 'contract.yaml')));
  return resource;
}

t.test('check:contract finds where the client learns the id of an item', async (t) => {
  const idOf = async (options: Parameters<typeof resourceOf>[0]): Promise<unknown> =>
    (await resourceOf(options))?.id;
  t.same(await idOf({ body: 'id name' }), { in: 'request', member: 'id' });
  t.same(await idOf({ parameter: 'thingId', body: 'thingId id name' }), {
    in: 'request',
    member: 'thingId',
  });
  t.same(await idOf({ parameter: 'thingId', answer: 'id name' }), { in: 'answer', member: 'id' });
  t.same(await idOf({ answer: 'Location' }), { in: 'location' });
  t.same(await idOf({ answer: 'name' }), undefined, 'nobody says it');
});

t.test('check:contract takes all members of a create but the id as the content of an item', async (t) => {
  const resource = await resourceOf({ body: 'id name tag' });
  t.same(
    resource?.members.map(({ name }) => name),
    ['name', 'tag'],
  );
});

t.test('check:contract does not take a list that may be one page of several for the whole', async (t) => {
  const items = '{ type: object, properties: { name: { type: string } } }';
  const longest = async (options: Parameters<typeof resourceOf>[0]): Promise<unknown> => {
    const resource = await resourceOf({ body: 'id name', ...options });
    const place = resource?.list && listOf(resource.list);
    return place && { member: place.member, longest: place.longest };
  };
  t.same(await longest({}), { member: undefined, longest: undefined });
  t.same(await longest({ list: `{ type: array, maxItems: 50, items: ${items} }` }), {
    member: undefined,
    longest: 50,
  });
  const envelope = (more: string): string =>
    `{ type: object, properties: { things: { type: array, items: ${items} }${more} } }`;
  t.same(await longest({ list: envelope('') }), { member: 'things', longest: undefined });
  t.same(await longest({ list: envelope(', next: { type: string }') }), { member: 'things', longest: 0 });
  const query = 'parameters: [{ name: page, in: query, schema: { type: integer, format: int32 } }]';
  t.same(await longest({ query }), { member: undefined, longest: 0 });
  t.same(await longest({ list: '{ type: string }' }), undefined, 'no list at all');
});
