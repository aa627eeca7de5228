/** The service reads the form through the same nodes, so they live beside the judge of schemas. */
export { type Direction, Node } from '../../../exact-json/index.js';
