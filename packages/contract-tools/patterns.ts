/** Judges the patterns of a document before anything asks them. It loads recheck. */
export { refuseSlowPatterns } from './src/lint/slow-patterns.js';
