/** What the table of migrations/0002-plants.sql holds: the plants as they are created, each with its owner. */
export const plantTable = { table: 'plants', schema: 'NewPlant', besideContract: ['owner'] };
