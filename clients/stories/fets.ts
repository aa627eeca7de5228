import { createClient, type NormalizeOAS } from 'fets';
import document from '../out/fets.js';
import { tell } from '../story.js';

// The address is the one under `servers` of the document that was served; it takes no other.
const [{ url: endpoint }] = document.servers;

await tell((_url, token) => {
  const client = createClient<NormalizeOAS<typeof document>>({
    endpoint,
    // Headers in the call's own parameters would get those of the calls before: it writes into the object.
    globalParams: { headers: { Authorization: `Bearer ${token}` } },
  });
  return {
    create: async (plant) => (await client['/plants'].post({ json: { ...plant } })).json(),
    list: async (limit) => (await client['/plants'].get({ query: { limit } })).json(),
    async delete(id) {
      const answer = await client['/plants/{id}'].delete({ params: { id } });
      return answer.status === 204 ? undefined : answer.json();
    },
  };
});
