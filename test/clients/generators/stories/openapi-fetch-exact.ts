import createClient from 'openapi-fetch';
import { type paths, writeJson } from 'plant-store-contract';
import { tell } from '../story.js';

await tell<bigint>(
  (baseUrl, token) => {
    const client = createClient<paths>({
      baseUrl,
      headers: { Authorization: `Bearer ${token}` },
      bodySerializer: writeJson,
    });
    return {
      async create(body) {
        const { data, error } = await client.POST('/plants', { body });
        return data ?? error;
      },
      async list(limit) {
        const { data, error } = await client.GET('/plants', { params: { query: { limit } } });
        return data ?? error;
      },
      async delete(id) {
        const { data, error } = await client.DELETE('/plants/{id}', { params: { path: { id } } });
        return error ?? data;
      },
    };
  },
  (id) => id,
);
