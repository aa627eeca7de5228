import { createPlant, deletePlant, listPlants } from '../out/orval.js';
import { tell } from '../story.js';

// The address is the one under `servers` of the document that was served.
await tell((_url, token) => {
  const options = { headers: { Authorization: `Bearer ${token}` } };
  return {
    create: async (plant) => (await createPlant(plant, options)).data,
    list: async (limit) => (await listPlants(limit === undefined ? {} : { limit }, options)).data,
    delete: async (id) => (await deletePlant(id, options)).data,
  };
}, Number);
