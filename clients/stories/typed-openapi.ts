import { createApiClient } from '../out/typed-openapi.js';
import { tell } from '../story.js';

await tell((url, token) => {
  const client = createApiClient(
    {
      // It leaves the sending to its user.
      fetch: ({ method, url, urlSearchParams, parameters }) => {
        if (urlSearchParams !== undefined) url.search = urlSearchParams.toString();
        return fetch(url, {
          method,
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          ...(parameters?.body !== undefined && { body: JSON.stringify(parameters.body) }),
        });
      },
    },
    url,
  );
  const options = { withResponse: true, throwOnStatusError: false } as const;
  return {
    create: async (body) => (await client.post('/plants', { body, ...options })).data,
    list: async (limit) => (await client.get('/plants', { query: { limit }, ...options })).data,
    async delete(id) {
      const answer = await client.delete('/plants/{id}', { path: { id }, ...options });
      return answer.ok ? undefined : answer.data;
    },
  };
});
