import { createClient } from '../out/hey-api/client/index.js';
import { createPlant, deletePlant, listPlants } from '../out/hey-api/index.js';
import { tell } from '../story.js';

await tell((baseUrl, auth) => {
  const client = createClient({ baseUrl, auth });
  return {
    async create(body) {
      const answer = await createPlant({ client, body });
      return answer.error === undefined ? answer.data : answer.error;
    },
    async list(limit) {
      const answer = await listPlants({ client, query: { limit } });
      return answer.error === undefined ? answer.data : answer.error;
    },
    async delete(id) {
      const { data, error } = await deletePlant({ client, path: { id } });
      return error ?? data;
    },
  };
}, Number);
