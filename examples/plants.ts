/**
 * openapi-fetch: TypeScript checks every call against the contract's types. PLANTS_URL is the service's
 * address, PLANTS_TOKEN an access token. Outside this repository the types and `writeJson` come from the
 * package `plant-store-contract`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/plants.js';
import { writeJson } from '../scripts/pack/json.js';

type Plant = components['schemas']['Plant'];

const { PLANTS_URL = 'http://127.0.0.1:3000', PLANTS_TOKEN } = process.env;

const client = createClient<paths>({
  baseUrl: PLANTS_URL,
  headers: { Authorization: `Bearer ${PLANTS_TOKEN}` },
  // JSON.stringify throws at a bigint.
  bodySerializer: writeJson,
  fetch: repeat,
});

/**
 * Repeats a request whose answer was lost, was a 429 or had a status of 500 or more. A create may be repeated: the
 * same plant twice is not a conflict.
 */
async function repeat(request: Request, attempts = 5): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(request.clone()).catch((lost: Error) => lost);
    const isLost = answer instanceof Error;
    if (!isLost && answer.status < 500 && answer.status !== 429) {
      // The delete whose answer was lost has been carried out.
      const isGone = request.method === 'DELETE' && answer.status === 404 && attempt > 1;
      return isGone ? new Response(null, { status: 204 }) : answer;
    }
    if (attempt === attempts) throw new Error(`No answer after ${attempts} attempts.`);
    const seconds = isLost ? 0 : Number(answer.headers.get('retry-after'));
    await pause(Math.max(1_000 * seconds, 100 * 2 ** attempt));
  }
}

/** Yields each plant as it arrives, so the list may be of any length. */
async function* list(): AsyncGenerator<Plant> {
  const { data, error } = await client.GET('/plants', { parseAs: 'stream' });
  if (error !== undefined) throw new Error(`${error.error}: ${error.message}`);
  if (data === null) throw new Error('The answer has no body.');
  let [text, depth, inString, escaped] = ['', 0, false, false];
  for await (const chunk of data.pipeThrough(new TextDecoderStream())) {
    for (const character of chunk) {
      if (depth > 1 || character === '{') text += character;
      if (inString) {
        if (!escaped && character === '"') inString = false;
        escaped = !escaped && character === '\\';
      } else if (character === '"') inString = true;
      else if (character === '{' || character === '[') depth++;
      else if (character === '}' || character === ']') depth--;
      if (depth === 1 && text !== '') {
        yield JSON.parse(text);
        text = '';
      }
    }
  }
  if (depth !== 0) throw new Error('The list broke off.');
}

const id = 9007199254740993n;
const created = await client.POST('/plants', { body: { id, name: 'Monstera deliciosa', tag: 'climber' } });
if (created.error !== undefined) throw new Error(`${created.error.error}: ${created.error.message}`);
for await (const { name, tag } of list()) console.log(name, tag ?? '');
const { error } = await client.DELETE('/plants/{id}', { params: { path: { id } } });
if (error !== undefined) throw new Error(`${error.error}: ${error.message}`);
