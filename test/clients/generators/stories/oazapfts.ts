import { createPlant, deletePlant, listPlants } from '../out/oazapfts.js';
import { tell } from '../story.js';

await tell((baseUrl, token) => {
  const options = { baseUrl, headers: { Authorization: `Bearer ${token}` } };
  return {
    create: async (plant) => (await createPlant(plant, options)).data,
    list: async (limit) => (await listPlants({ limit }, options)).data,
    async delete(id) {
      const answer = await deletePlant(id, options);
      return 'data' in answer ? answer.data : undefined;
    },
  };
}, Number);
