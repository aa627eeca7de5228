/** Serves any document from its examples, by the layer of the service. */
export { buildMock } from './src/app.js';
export { mockCommand } from './src/mock-command.js';
