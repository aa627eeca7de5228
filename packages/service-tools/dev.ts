/** Judges every save, and restarts the server. */
export { Linter } from './src/dev/linter.js';
