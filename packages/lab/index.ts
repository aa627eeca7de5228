/** The laboratory: it starts the built program from outside. */
export { wrkLoad } from './src/bench/wrk.js';
export { faults } from './src/survive/faults.js';
export { isSound, toText } from './src/survive/report.js';
export { survive } from './src/survive/survive.js';
