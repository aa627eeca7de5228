/** Code that must not compile, and the sentence that the compiler must print. */
export interface TypeCase {
  readonly name: string;
  /** The contract that the handlers are written for. */
  readonly contract: 'plants' | 'workshop';
  /** Handlers that replace the good ones of the same name; `undefined` removes one. */
  readonly handlers: Readonly<Record<string, string | undefined>>;
  readonly message: string;
}

/** Handlers that fit. A case changes one of them. */
export const goodHandlers: Readonly<Record<TypeCase['contract'], Readonly<Record<string, string>>>> = {
  plants: {
    createPlant:
      'async createPlant({ body: { name, tag } }) { return { status: 200, body: tag === undefined ? { name } : { name, tag } }; }',
    listPlants:
      "async listPlants({ query: { limit } }) { return limit === 1 ? { status: 400, body: { error: limit, message: 'One.' } } : { status: 200, body: [] }; }",
    deletePlant: 'async deletePlant() { return { status: 204 }; }',
  },
  workshop: {
    getTool: `async getTool({ path: { id }, query: { page, tag }, header, cookie: { theme } }) {
      const pages: bigint = page + BigInt(header['X-Depth'] + header['X-Trace'].length);
      if (theme === 'dark' && tag?.[0] === pages) tag.sort();
      if (id === 0n) return { status: 304 };
      if (id === 1n) return { status: 304, headers: { 'X-Uses': 1 } };
      if (id === 2n) return { status: 503, headers: { 'Retry-After': 1 } };
      if (id === 3n) return { status: 503, headers: { 'Retry-After': 1, 'X-Uses': 1 } };
      const headers = id === 4n ? { ETag: '1', 'X-Uses': 1 } : { ETag: '1' };
      return { status: 200, headers, body: { id, kind: 'saw', note: null, parts: [{ size: 1 }] } };
    }`,
    listTools: 'async listTools() { return { status: 200, body: pages() }; }',
    changeTool:
      "async changeTool({ path: { id }, mediaType, body, caller }) { if (caller === undefined) return { status: 403, body: { title: 'Who?' } }; const owner: string = caller; if (mediaType === 'application/json') return { status: id > 0n ? 200 : 202, body: { ...body, id } }; return body.note === undefined ? { status: 204 } : { status: 404 }; }",
    dropTool:
      "async dropTool({ caller }) { return caller.length > 9 ? { status: 409, body: { title: 'In use.' } } : { status: 204 }; }",
    orderTool: "async orderTool({ body }) { if (body?.kind === 'saw') body.parts; return { status: 204 }; }",
  },
};

const plants = (name: string, handlers: TypeCase['handlers'], message: string): TypeCase => ({
  name,
  contract: 'plants',
  handlers,
  message,
});
const workshop = (name: string, handlers: TypeCase['handlers'], message: string): TypeCase => ({
  name,
  contract: 'workshop',
  handlers,
  message,
});
const getTool = (answer: string) => ({ getTool: `async getTool({ path: { id } }) { ${answer} }` });
const tool = (members: string) =>
  getTool(
    `return { status: 200, headers: { ETag: '1' }, body: { id, kind: 'saw', parts: [], ${members} } };`,
  );

export const typeCases: readonly TypeCase[] = [
  workshop(
    'a parameter without a default, as if it were always there',
    { getTool: 'async getTool({ query: { deep } }) { deep.valueOf(); return { status: 304 }; }' },
    "'deep' is possibly 'undefined'.",
  ),
  workshop(
    'an int64 of a list as a number',
    {
      getTool:
        'async getTool({ query: { tag = [] } }) { const first: number | undefined = tag[0]; return first === 1 ? { status: 304 } : { status: 304 }; }',
    },
    "Type 'bigint | undefined' is not assignable to type 'number | undefined'.",
  ),
  workshop(
    'a header in other letters than the contract writes',
    { getTool: "async getTool({ header }) { header['x-trace']; return { status: 304 }; }" },
    "Property 'x-trace' does not exist",
  ),
  workshop(
    'a value that a cookie cannot have',
    { getTool: "async getTool({ cookie: { theme } }) { theme === 'red'; return { status: 304 }; }" },
    'have no overlap.',
  ),
  workshop(
    'headers of an operation that takes none',
    { listTools: 'async listTools({ header }) { return { status: 200, body: pages() }; }' },
    "Property 'header' does not exist",
  ),
  plants(
    'an operation without a handler',
    { deletePlant: undefined },
    'The operation "deletePlant" has no handler.',
  ),
  plants(
    'a misspelt handler',
    { deletePlant: 'async deletePlants() { return { status: 204 }; }' },
    'The contract has no operation "deletePlants" here.',
  ),
  plants(
    'an extra handler',
    { more: 'async getPlant() { return { status: 204 }; }' },
    'The contract has no operation "getPlant" here.',
  ),
  plants(
    'an undocumented status',
    { createPlant: "async createPlant() { return { status: 201, body: { name: 'Fern' } }; }" },
    'createPlant: the contract does not document the status 201.',
  ),
  plants(
    'a status that is just a number',
    {
      createPlant:
        'async createPlant() { const status: number = 200; return { status, body: { name: "Fern" } }; }',
    },
    'createPlant: the status must be written as a number, so that it can be checked.',
  ),
  plants(
    'a missing member of a body',
    { createPlant: 'async createPlant() { return { status: 200, body: {} }; }' },
    'createPlant 200, body: the member "name" is missing.',
  ),
  plants(
    'a member that may be missing',
    {
      createPlant:
        'async createPlant() { const body: { name?: string } = {}; return { status: 200, body }; }',
    },
    'createPlant 200, body: the member "name" may be missing.',
  ),
  plants(
    'a member of the wrong type',
    { createPlant: 'async createPlant({ body }) { return { status: 200, body: { name: body.id } }; }' },
    'createPlant 200, body.name must be a string, not a bigint.',
  ),
  plants(
    'an excess member in a literal',
    { createPlant: "async createPlant() { return { status: 200, body: { name: 'Fern', id: 7n } }; }" },
    'createPlant 200, body: the contract has no member "id".',
  ),
  plants(
    'an excess member in a value that was made before',
    { createPlant: 'async createPlant({ body }) { return { status: 200, body }; }' },
    'createPlant 200, body: the contract has no member "id".',
  ),
  plants(
    'an excess member in an item of a list',
    {
      listPlants:
        "async listPlants() { const body = [{ name: 'Fern', id: 7n }]; return { status: 200, body }; }",
    },
    'listPlants 200, body[]: the contract has no member "id".',
  ),
  plants(
    'an excess member in a page of a list',
    {
      listPlants:
        "async listPlants() { async function* pages() { yield [{ name: 'Fern', id: 7n }]; } return { status: 200, body: pages() }; }",
    },
    'listPlants 200, body[]: the contract has no member "id".',
  ),
  plants(
    'a member that is there and undefined',
    {
      createPlant:
        'async createPlant({ body: { name, tag } }) { return { status: 200, body: { name, tag } }; }',
    },
    'createPlant 200, body.tag must not be undefined.',
  ),
  plants(
    'a body of another answer',
    { deletePlant: 'async deletePlant() { return { status: 404, body: { error: 404 } }; }' },
    'deletePlant 404, body: the member "message" is missing.',
  ),
  plants(
    'a missing body',
    { createPlant: 'async createPlant() { return { status: 200 }; }' },
    'createPlant 200: the body is missing.',
  ),
  plants(
    'a body where none is documented',
    { deletePlant: 'async deletePlant() { return { status: 204, body: {} }; }' },
    'deletePlant 204: the contract documents no body.',
  ),
  plants(
    'pages where one object is documented',
    {
      createPlant:
        "async createPlant() { async function* pages() { yield [{ name: 'Fern' }]; } return { status: 200, body: pages() }; }",
    },
    'createPlant 200, body: only an array can be answered in pages.',
  ),
  plants(
    'a list where one object is documented',
    { createPlant: "async createPlant() { return { status: 200, body: [{ name: 'Fern' }] }; }" },
    'createPlant 200, body must be an object.',
  ),
  plants(
    'a body that nobody can check',
    { createPlant: "async createPlant() { return { status: 200, body: JSON.parse('{}') }; }" },
    'createPlant 200, body: the type "any" cannot be checked.',
  ),
  plants(
    'a header that is not documented',
    { deletePlant: "async deletePlant() { return { status: 204, headers: { ETag: '1' } }; }" },
    'deletePlant 204: the contract documents no headers.',
  ),
  plants(
    'a header that the service sets itself',
    { deletePlant: "async deletePlant() { return { status: 204, headers: { 'X-Request-Id': '1' } }; }" },
    'deletePlant 204: the contract documents no headers.',
  ),
  plants(
    'a missing documented header',
    {
      deletePlant: "async deletePlant() { return { status: 503, body: { error: 503, message: 'Later.' } }; }",
    },
    'deletePlant 503, headers: the member "Retry-After" is missing.',
  ),
  plants(
    'a parameter that does not exist',
    { listPlants: 'async listPlants({ query }) { query.offset; return { status: 200, body: [] }; }' },
    "Property 'offset' does not exist on type '{ limit?: number; }'.",
  ),
  plants(
    'a part of the request that does not exist',
    { listPlants: 'async listPlants({ body }) { return { status: 200, body: [] }; }' },
    "Property 'body' does not exist on type",
  ),
  plants(
    'an optional parameter as if it were always there',
    {
      listPlants:
        'async listPlants({ query: { limit } }) { limit.toFixed(); return { status: 200, body: [] }; }',
    },
    "'limit' is possibly 'undefined'.",
  ),
  plants(
    'an int64 as a number',
    {
      deletePlant: 'async deletePlant({ path: { id } }) { const key: number = id; return { status: 204 }; }',
    },
    "Type 'bigint' is not assignable to type 'number'.",
  ),
  workshop(
    'a number for an int64 in a body',
    getTool("return { status: 200, headers: { ETag: '1' }, body: { id: 7, kind: 'saw', parts: [] } };"),
    'getTool 200, body.id must be a bigint, not a number.',
  ),
  workshop(
    'a bigint for an int32',
    tool('parts: [{ size: id }]'),
    'getTool 200, body.parts[].size must be a number, not a bigint.',
  ),
  workshop(
    'an excess member deep inside',
    getTool(
      "const parts = [{ size: 1, colour: 'red' }]; return { status: 200, headers: { ETag: '1' }, body: { id, kind: 'saw', parts } };",
    ),
    'getTool 200, body.parts[]: the contract has no member "colour".',
  ),
  workshop(
    'a value that an enum does not list',
    getTool("return { status: 200, headers: { ETag: '1' }, body: { id, kind: 'axe', parts: [] } };"),
    'getTool 200, body.kind must be one of the values that the contract allows.',
  ),
  workshop('null where it is not allowed', tool('parts: null'), 'getTool 200, body.parts must not be null.'),
  workshop(
    'an excess header',
    getTool("return { status: 200, headers: { ETag: '1', Age: 7 }, body: { id, kind: 'saw', parts: [] } };"),
    'getTool 200, headers: the contract has no member "Age".',
  ),
  workshop(
    'no headers where one is documented',
    getTool("return { status: 200, body: { id, kind: 'saw', parts: [] } };"),
    'getTool 200, headers: the member "ETag" is missing.',
  ),
  workshop(
    'a header of the wrong type',
    getTool("return { status: 200, headers: { ETag: 1 }, body: { id, kind: 'saw', parts: [] } };"),
    'getTool 200, headers.ETag must be a string, not a number.',
  ),
  workshop(
    'an optional header of the wrong type',
    getTool("return { status: 304, headers: { 'X-Uses': '1' } };"),
    'getTool 304, headers.X-Uses must be a number, not a string.',
  ),
  workshop(
    'an optional header that is there and undefined',
    getTool("return { status: 304, headers: { 'X-Uses': undefined } };"),
    'getTool 304, headers.X-Uses must not be undefined.',
  ),
  workshop(
    'a header that is required, beside one that is optional',
    getTool("return { status: 503, headers: { 'X-Uses': 1 } };"),
    'getTool 503, headers: the member "Retry-After" is missing.',
  ),
  workshop(
    'no headers where one is required and one is optional',
    getTool('return { status: 503 };'),
    'getTool 503, headers: the member "Retry-After" is missing.',
  ),
  workshop(
    'a status outside of the documented ranges',
    { changeTool: 'async changeTool() { return { status: 304 }; }' },
    'changeTool: the contract does not document the status 304.',
  ),
  workshop(
    'a status of a range with a body that is another',
    { changeTool: "async changeTool() { return { status: 403, body: { error: 'No.' } }; }" },
    'changeTool 403, body: the contract has no member "error".',
  ),
  workshop(
    'a status of a range without its body',
    { changeTool: 'async changeTool() { return { status: 202 }; }' },
    'changeTool 202: the body is missing.',
  ),
  workshop(
    'the body of the range for a status that has an entry of its own',
    { changeTool: "async changeTool() { return { status: 404, body: { title: 'Gone.' } }; }" },
    'changeTool 404: the contract documents no body.',
  ),
  workshop(
    'the body of the default for a status that has an entry of its own',
    { dropTool: "async dropTool() { return { status: 204, body: { title: 'Gone.' } }; }" },
    'dropTool 204: the contract documents no body.',
  ),
  workshop(
    'a default with a body that is another',
    { dropTool: "async dropTool() { return { status: 200, body: { name: 'Saw' } }; }" },
    'dropTool 200, body: the contract has no member "name".',
  ),
  workshop(
    'a status that is none that ends a request',
    { dropTool: "async dropTool() { return { status: 103, body: { title: 'Wait.' } }; }" },
    'dropTool: the contract does not document the status 103.',
  ),
  workshop(
    'a caller who may be nobody as if it were always somebody',
    { changeTool: 'async changeTool({ caller }) { caller.length; return { status: 204 }; }' },
    "'caller' is possibly 'undefined'.",
  ),
  workshop(
    'a member of one media type as if it were there in all',
    { changeTool: 'async changeTool({ body }) { body.kind; return { status: 204 }; }' },
    "Property 'kind' does not exist on type",
  ),
  workshop(
    'a media type that the contract does not have',
    {
      changeTool:
        "async changeTool({ mediaType }) { return mediaType === 'text/plain' ? { status: 204 } : { status: 404 }; }",
    },
    'This comparison appears to be unintentional',
  ),
  workshop(
    'a media type where there is only one',
    { orderTool: 'async orderTool({ mediaType }) { return { status: 204 }; }' },
    "Property 'mediaType' does not exist on type",
  ),
  workshop(
    'a public operation that reads the caller',
    { listTools: 'async listTools({ caller }) { return { status: 200, body: [] }; }' },
    "Property 'caller' does not exist on type '{ readonly arrivedAt: number; }'.",
  ),
  workshop(
    'a body that may be left out as if it were always there',
    { orderTool: 'async orderTool({ body }) { body.kind; return { status: 204 }; }' },
    "'body' is possibly 'undefined'.",
  ),
];
