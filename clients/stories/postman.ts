import { readFile } from 'node:fs/promises';
import newman, { type NewmanRunSummary } from 'newman';
import { exactBody, exactId, type Failure, type Plant, tell } from '../story.js';

/** What a person edits of a request of the collection. */
interface Request {
  body: { raw: string };
  url: { query: { value: string; disabled: boolean }[]; variable: { value: string }[] };
}

interface Item {
  name: string;
  request: Request;
  item?: Item[];
}

// Its variable "baseUrl" is the address under `servers` of the document that was served.
const collection: Item = JSON.parse(await readFile('out/postman.json', 'utf8'));
const requestsOf = (folder: Item): Item[] => folder.item?.flatMap(requestsOf) ?? [folder];

await tell((_url, token) => {
  const send = async (name: string, edit: (request: Request) => void) => {
    const item = structuredClone(requestsOf(collection).filter((one) => one.name === name));
    for (const { request } of item) edit(request);
    const options = { collection: { ...collection, item }, envVar: [{ key: 'bearerToken', value: token }] };
    const { run } = await new Promise<NewmanRunSummary>((resolve, reject) => {
      newman.run(options, (error, summary) => (error ? reject(error) : resolve(summary)));
    });
    const text = run.executions[0]?.response.text();
    return text ? JSON.parse(text) : undefined;
  };
  return {
    create: (plant): Promise<Plant | Failure> =>
      send('Create a plant', ({ body }) => {
        body.raw = exactBody(plant);
      }),
    list: (limit): Promise<Plant[] | Failure> =>
      send('List plants', ({ url }) => {
        url.query = url.query.map((one) => ({ ...one, value: String(limit), disabled: limit === undefined }));
      }),
    delete: (id): Promise<undefined | Failure> =>
      send('Delete a plant', ({ url }) => {
        url.variable = url.variable.map((one) => ({ ...one, value: exactId(id) }));
      }),
  };
});
